"""What a check says of the values that a part returned: their kind, and whether they were the same at every call."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from autograder import parts
from minigrad import tensor
from minigrad.autograd.engine import count_dependencies, run_node
from minigrad.autograd.graph import Node
from minigrad.backend import cupy

ITEM, LEAF, NODE, EDGE = (
    *(f"minigrad.tensor.Tensor.{each}" for each in ("item", "is_leaf", "grad_fn")),
    "minigrad.autograd.accumulate.gradient_edge",
)
MUL = "minigrad.ops.pointwise.mul_vjp_self"
SLOPE, POW = "minigrad.warmup.squared_loss_grad", "minigrad.ops.pointwise.pow_vjp"
SAVE = "minigrad.autograd.function.FunctionCtx.save_for_backward"
HOME = "minigrad.backend.array_module"
ROOT = "minigrad.autograd.roots.root_gradient"
STRETCHES = "minigrad.autograd.accumulate.broadcasts_to"
BEST = "minigrad.timing.best_seconds"
VERSION, COUNT = "minigrad.autograd.graph.check_version", "minigrad.autograd.engine.count_dependencies"


def no_return(self):
    str(self._edge)


@pytest.mark.parametrize(
    "name, part, written, says",
    [
        ("leaf_or_not", LEAF, no_return, "Is a return missing? It should return True or False."),
        ("leaf_or_not", LEAF, lambda self: 1.0, "Your is_leaf returned a number; it should return True or False."),
        ("leaf_or_not", LEAF, lambda self: self, "returned an array or a minigrad tensor; it should return True or F"),
        (
            "leaf_or_not",
            LEAF,
            lambda self: self,
            "What your is_leaf returned was every time the very self that came in",
        ),
        ("grad_fn_names", NODE, lambda self: (self, None)[1], "and always returned None, whatever came in."),
        ("grad_fn_names", NODE, lambda self: print(self._edge), "Your grad_fn printed something and returned None."),
        (
            "mul_backward",
            MUL,
            lambda grad, other: tensor(grad) * other,
            "receives are NumPy arrays, and you made a mini",
        ),
        (
            "output_numbers",
            EDGE,
            lambda t: (Node, 0),
            "returned a tuple (a class itself, a number); it should return a tuple",
        ),
        (
            "leaf_or_not",
            LEAF,
            lambda self: bool,
            "Your is_leaf returned a class itself; it should return True or False.",
        ),
        ("grad_fn_names", NODE, lambda self: [], "Your grad_fn returned a list; it should return a node or None."),
        ("output_numbers", EDGE, lambda t: (), "returned an empty tuple; it should return a tuple (a node, a number)."),
        ("output_numbers", EDGE, lambda t: [0, 1], "returned a list; it should return a tuple (a node, a number)."),
        ("item_refuses", ITEM, lambda self: self.data, "an array or a minigrad tensor; it should return a number."),
        (
            "item_refuses",
            ITEM,
            lambda self: self.numpy().sum(),
            "item returned a NumPy number; it should return a numb",
        ),
        ("item_value", ITEM, lambda self: 1.0, "Your item was called 11 times and always returned 1.0, whatever came"),
        (
            "warmup_by_hand",
            SLOPE,
            lambda w, X, Y: (w, None)[1],
            "It should return one number (a plain one, or a 0-d tensor).",
        ),
        (
            "warmup_by_hand",
            SLOPE,
            lambda w, X, Y: w,
            "What your squared_loss_grad returned was every time the very w that came",
        ),
        ("pow_backward", POW, lambda grad, x, n: n * grad * x ** (n - 1) if n else (grad * 0,), "returned a tuple ("),
        ("pow_backward", POW, lambda grad, self, exponent: (grad,), "A comma left at the end of the line makes it a"),
        (
            "version_check",
            VERSION,
            lambda saved, expected, source: False,
            "returned a value instead. Where something is wrong, raise: nobody looks at what is returned.",
        ),
        ("where_arrays_live", HOME, lambda array: type(array), "returned a class itself; it should return a module."),
        ("where_arrays_live", HOME, lambda array: cupy, "returned a function, not what it produces: are the brackets"),
        ("function_guards", SAVE, lambda self, *tensors: tensors, "Nobody reads what save_for_backward returns"),
    ],
)
def test_what_came_out_is_named_and_what_should_have(said, name, part, written, says):
    out = said(name, {part: written})
    assert out.startswith("✗") and says.casefold() in out.casefold()


def test_what_the_engines_own_hands_back_as_well_is_no_habit(said):
    """requires_grad_ returns its self; root_gradient is given nothing but ones here."""
    out = said("requires_grad_switch", {"minigrad.tensor.Tensor.requires_grad_": lambda self, value=True: self})
    assert out.startswith("✗") and "just as it came in" not in out


def test_a_none_of_a_part_that_has_a_return_is_no_return_forgotten(said):
    def is_leaf(self):
        return self.grad_fn

    def broadcasts_to(shape, target):
        for one, other in zip(reversed(shape), reversed(target), strict=False):
            return one in (1, other)

    for name, part in {"leaf_or_not": {LEAF: is_leaf}, "broadcast_rule": {STRETCHES: broadcasts_to}}.items():
        out = said(name, part)
        assert "Some calls end without reaching a return" in out and "is a return missing" not in out


def test_an_argument_that_is_never_used_is_named_where_nothing_better_is_known(said):
    def own_clock(action, wait, clock, repeats):
        action()
        wait()
        return 1e-3 * repeats

    def own_clock_that_breaks(action, wait, clock, repeats):
        return 1 / 0

    says, out = "Your best_seconds never uses clock, which it is given", said("honest_timing", {BEST: own_clock})
    assert out.startswith("✗") and says in out
    assert "never uses" not in said("honest_timing", {BEST: own_clock_that_breaks})


def test_a_number_is_no_odd_thing_where_the_check_takes_one_and_what_is_wrong_is_said_alone(said):
    """The engine's own gives its one number in a tensor; for pow's rule, an array is wanted."""
    out = said("warmup_by_hand", {SLOPE: lambda w, X, Y: round(float((-2 * X * (Y - w * X)).sum()))})
    assert out.startswith("✗") and "returned a number" not in out
    assert "Your pow_vjp returned a number" in said("pow_backward", {POW: lambda grad, self, exponent: 0.0})


def test_a_part_that_mostly_raised_has_no_habit_of_returning(said):
    """The errors are shown; that it gave one number in the two calls that came through means nothing."""

    def looks_at_the_first_dimension(self):
        if self._data.shape[0] > 1:
            raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
        return self._data.item()

    out = said("item_value", {ITEM: looks_at_the_first_dimension})
    assert "IndexError" in out and "always returned" not in out


def test_what_a_part_returns_once_another_is_right_is_not_held_against_it(said):
    """The run ends where is_leaf raises, before anyone asks for a leaf's grad_fn, which is None, as it should be."""
    own = {part: parts.original(part) for part in (NODE, EDGE)}
    out = said("graph_of_a_network", {LEAF: lambda self: self._edge[0] is None, **own})
    assert out.startswith("✗") and "grad_fn returned" not in out


def test_beside_a_hint_no_habit_is_named(said):
    mul = "minigrad.ops.pointwise.mul_vjp_self"
    out = said("mul_backward", {mul: lambda grad, other: grad})
    assert "Hint for mul_vjp_self" in out and "just as it came in" not in out


def test_a_mistake_that_returned_another_kind_of_thing_gives_no_hint(said):
    """Both break in the same words; but () is no edge."""
    out = said("graph_of_a_network", {NODE: lambda self: ()})
    assert "'tuple' object has no attribute 'name'" in out and "Hint" not in out
    out = said("graph_of_a_network", {NODE: lambda self: (parts.original(NODE)(self), 0)})
    assert "Hint for grad_fn: You return the whole edge" in out


def test_a_counter_is_a_dict_and_its_mistake_is_known(said):
    def without_roots(roots):
        counts, todo, seen = Counter(), list(roots), set(roots)
        while todo:
            for parent, _ in todo.pop().next_functions:
                if parent:
                    counts[parent] += 1
                    todo += [parent] if parent not in seen else []
                    seen.add(parent)
        return counts

    out = said("edges_to_a_node", {COUNT: without_roots})
    assert "The roots are missing" in out and "Counter" not in out


def test_beside_a_part_that_does_not_fit_the_engines_own_nothing_is_said_of_calls_that_should_raise(said):
    """Each of the two breaks with the engine's own other, but not every call should raise."""

    def forward(ctx, x):
        ctx.x = x
        return x.clamp(min=0) + (-x.abs()).exp().log1p()

    def backward(ctx, grad):
        return grad * ctx.x.sigmoid() * 1.5

    softplus = {f"minigrad.custom.Softplus.{each.__name__}": each for each in (forward, backward)}
    others = {part: parts.original(part) for part in (SAVE, "minigrad.autograd.gradcheck.central_difference")}
    out = said("custom_network", softplus | others)
    assert out.startswith("✗") and "every call should raise" not in out


def test_a_number_is_as_good_as_numpys(said):
    out = said("when_it_pays", {"minigrad.timing.best_seconds": lambda action, wait, clock, repeats: 0.25})
    assert out.startswith("✗") and "returned a number" not in out


def test_a_warning_is_nothing_that_the_part_printed(said):
    def warns(w, X, Y):
        sys.stderr.write("UserWarning: .grad of a tensor that is no leaf")

    out = said("warmup_by_hand", {SLOPE: warns})
    assert "│ UserWarning" in out and "is a return missing?" in out and "printed something" not in out


ROWS, HOOKS, WALK, SIN = (
    f"minigrad.{each}"
    for each in (
        "autograd.functional.jacobian_rows",
        "autograd.hooks.run_tensor_hooks",
        "autograd.engine.run_backward",
        "ops.pointwise.sin_vjp",
    )
)


def test_tuples_of_tuples_are_called_tuples_and_said_once(said):
    def jacobian_rows(output, inputs, create_graph):
        return tuple((output,) * len(inputs) for _ in range(output.numel()))

    out = said("row_by_row", {ROWS: jacobian_rows})
    assert out.count("Your jacobian_rows returned") == 1 and "returned a tuple; it should return a list." in out


def test_an_argument_handed_back_where_other_calls_raised_is_no_habit(said):
    def root_gradient(output, given, index):
        return given if given is not None else len(output)

    assert "just as it came in" not in said("a_gradient_given", {ROOT: root_gradient})


def test_what_nobody_reads_is_no_argument_handed_back(said):
    out = said("gradients_meet", {WALK: lambda buffers, retain_graph, create_graph, task=None: buffers})
    assert "Nobody reads what run_backward returns" in out and "just as it came in" not in out


def test_where_a_part_returns_another_kind_of_thing_its_shape_is_not_named_too(said):
    out = said("sin_cos_slope", {SIN: lambda grad, self: (grad,)})
    assert "Your sin_vjp returned a tuple" in out and "has the wrong shape" not in out


def test_a_part_that_returns_no_gradient_is_not_told_to_look_at_its_shape(said):
    def run_backward(buffers, retain_graph, create_graph, task=None):
        waiting = count_dependencies(buffers)
        ready = [node for node in buffers if not waiting[node]]
        while ready:
            node = ready.pop()
            grad = buffers.pop(node)
            for parent, _ in node.next_functions[: len(run_node(node, grad, retain_graph, create_graph, task))]:
                if parent is not None:
                    buffers[parent] = grad  # what came, not what the node made of it
                    waiting[parent] -= 1
                    ready += [] if waiting[parent] else [parent]

    out = said("gradients_meet", {WALK: run_backward})
    assert out.startswith("✗") and "returned the wrong shape" in out and "Before the return" not in out
