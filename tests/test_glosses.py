"""What is said of errors whose own words do not help: names that are not defined, an array in an if, a missing *."""

from __future__ import annotations

import numpy
import pytest

import minigrad
from autograder import checks
from minigrad.autograd import engine
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import from_array

TANH = "minigrad.ops.pointwise.tanh_vjp"


@pytest.mark.parametrize(
    "body, says",
    [
        ("gard * (1 - result * result)", "Did you mean: grad\n"),
        ("grad * (1 - reslt * result)", "Did you mean: result\n"),
        (
            "grad * (1 - np.square(result))",
            "It has not been imported: write import numpy as np at the top of that cell.",
        ),
        ("none", "Did you mean: None\n"),
        ("Return (grad)", "Did you mean: return\n"),
        ("minigrad.ones(2).copy()", "This is a tensor, not a NumPy array: a copy is .clone()."),
        ("len(minigrad.tensor(1.0))", "The number of elements is .numel()"),
        ("grad * len('a' + 1)", "A string and a number can't be joined by +: write f"),
        ("grad * {1: 2}.pop()", "A dict's pop needs the key to take out"),
        ("torch.tensor(grad)", "Don't use torch in a part; there is none at grading"),
        (
            "grad (1 - result * result)",
            "Brackets right after a value look like a call to Python: is a * missing, or is there",
        ),
        ("grad.sum([0])", "A tuple is wanted here, and this is a list"),
        ("grad.reshape([1] + result.shape)", "Lists and tuples can't be added to each other"),
        ("grad * numpy.sum(minigrad.ones(2))", "NumPy's functions do not take tensors: use the tensor's own methods"),
        ("grad * (1 - result.tanh())", "This is a NumPy array, and has none of a tensor's methods"),
        ("grad * (1 - result ^ 2)", "A power is written **, as in x ** 2."),
        ("grad * float(result)", "take a single number, and this is an array"),
        ("grad * minigrad(result)", "A module can't be called, only a function in it"),
        ("list([grad])(0)", "or is there a pair of brackets too many"),
        (
            "grad * self",
            "tanh_vjp is not given any self. What it is given stands in the brackets of its first line: grad, result.",
        ),
        ("grad * mat2", "tanh_vjp is not given any mat2."),
        ("grad * result.size()", "or is there a pair of brackets too many"),
        ("grad * (1 - result^2)", "In Python ^ is not a power but the bitwise exclusive or"),
        ("grad * (1 - result.sum)", "A bare name is the function itself; only with brackets () is it called"),
        ("grad.sum.item()", "A bare name is the function itself; only with brackets () is it called"),
        ("grad - minigrad.tensor(1.0)", "An array and a tensor cannot be computed with together"),
        ("minigrad.tensor(1.0).is_leaf()", "This is a truth value, read without brackets, as in t.is_leaf"),
        ("min(1.0)", "Several things are wanted here, and this is one number"),
        ("[n for n in grad.ndim]", "to go round n times, write range(n)"),
        ("list(reversed(zip(grad, result)))", "to reverse them, index them or take their length, make a list first"),
        ("zip(grad, result)[0]", "zip, map and generators go from front to back, once"),
        ("len(map(abs, grad))", "zip, map and generators go from front to back, once"),
        ("[0 for result.shape[0] in [1]]", "A tuple cannot be changed once it is made"),
        ("ones_like(grad)", "minigrad has it: write minigrad.ones_like.\n"),
        ("grad.astype(double)", "minigrad has it: write minigrad.double.\n"),
        (
            "grad if grad > 0 else result",
            "many. To ask whether it is there at all, use is None; to choose entry by entry, use",
        ),
    ],
)
def test_an_error_is_followed_by_what_to_do(said, body, says):
    space = {"__name__": "__main__", "minigrad": minigrad, "numpy": numpy}
    exec(f"def tanh_vjp(grad, result):\n    return {body}", space)
    out = said("tanh_backward", {TANH: space["tanh_vjp"]})
    assert out.startswith("✗") and says in out


def test_a_name_from_outside_that_is_hidden_by_a_variable_is_told_of(said):
    space = {"__name__": "__main__", "grad": minigrad.autograd.grad}
    source = "def hessian_product(f, x, v):\n    grad = grad(f(x), x, create_graph=True)\n    return grad"
    exec(source, space)
    out = said("hessian_product_values", {"minigrad.curvature.hessian_product": space["hessian_product"]})
    assert "You assign to grad in this function" in out


def test_the_range_of_a_list_wants_no_tuple(said):
    def crossover(sizes, here, there):
        return next((size for size in range(sizes)), None)

    out = said("crossover_size", {"minigrad.timing.crossover": crossover})
    assert "do without range: for item in items" in out and "tuple" not in out


def test_a_list_turned_round_where_it_is_gone_through_is_told_of_reversed(said):
    def crossover(sizes, here, there):
        for size, a, b in zip(sizes.reverse(), here.reverse(), there.reverse(), strict=True):
            return size if b < a else None

    out = said("crossover_size", {"minigrad.timing.crossover": crossover})
    assert "For a new one, take sorted(rows) or reversed(rows)" in out and "There is a None in that place" not in out


def test_a_hook_that_was_called_too_early_is_told_from_a_none_that_is_no_value_yet(said):
    def watch_hidden(X, Y, W1, W2, steps, lr):
        hidden = (X @ W1).tanh()
        hidden.register_hook(print(end=""))
        (hidden @ W2).sum().backward()

    out = said("clinic_hook", {"minigrad.clinic.watch_hidden": watch_hidden})
    assert "register_hook(hook), not register_hook(hook(x))" in out and "There is a None in that place" not in out


def test_a_none_that_is_gone_through_beside_an_append_is_no_lists_method(said):
    def jacobian_rows(output, inputs, create_graph):
        rows = []
        for each in None: rows.append(each)  # fmt: skip  # noqa: E701
        return rows

    out = said("row_by_row", {"minigrad.autograd.functional.jacobian_rows": jacobian_rows})
    assert "'NoneType' object is not iterable" in out and "change the list itself" not in out


def test_what_belongs_to_the_object_itself_is_told_of_self(said):
    def unpack_arrays(self):
        for index, value in enumerate(self.saved or ()):
            check_saved(index, value)  # noqa: F821
        return []

    unpack = "minigrad.autograd.graph.Node.unpack_arrays"
    assert "self. is missing in front: write self.check_saved." in said("unpack_values", {unpack: unpack_arrays})


@pytest.mark.parametrize("name", ["importlib", "annotations", "random", "Any"])
def test_what_the_engine_has_imported_is_not_taken_for_its_own(said, name):
    space = {"__name__": "__main__", "minigrad": minigrad}
    exec(f"def tanh_vjp(grad, result):\n    return {name}", space)
    assert f"minigrad.{name}" not in said("tanh_backward", {TANH: space["tanh_vjp"]})


def test_where_parts_take_arrays_too_a_name_is_not_sent_to_minigrad_nor_is_a_part_its_own_likeness(said):
    space = {"__name__": "__main__", "minigrad": minigrad, "rules": None}
    exec("def tanh_vjp(grad, result):\n    return tanh_vj(ones_like(grad))", space)
    out = said("tanh_backward", {TANH: space["tanh_vjp"]})
    assert "'tanh_vj' is not defined" in out and "Did you mean" not in out
    exec("def tanh_vjp(grad, result):\n    return ones_like(grad)", space)
    out = said("tanh_backward", {TANH: space["tanh_vjp"]})
    assert "'ones_like' is not defined" in out and "minigrad.ones_like" not in out


def test_a_name_like_no_other_is_left_as_it_is(said):
    space = {"__name__": "__main__"}
    exec("def tanh_vjp(grad, result):\n    return completely_unknown", space)
    out = said("tanh_backward", {TANH: space["tanh_vjp"]})
    assert "name 'completely_unknown' is not defined" in out and "Did you mean" not in out


def test_what_the_lessons_own_cells_import_is_sent_to_them(said):
    space = {"__name__": "__main__"}  # as after a restart of the kernel
    exec("def detach(self):\n    return from_array(self.storage(), NO_EDGE, self.counter())", space)
    out = said("detach_cuts", {"minigrad.tensor.Tensor.detach": space["detach"]})
    assert "from_array comes from a cell further up" in out and "Run All Above Selected Cell" in out


def test_a_name_that_is_found_in_self_is_told_so(said):
    space = {"__name__": "__main__", "from_array": from_array, "NO_EDGE": NO_EDGE}
    exec("def detach(self):\n    return from_array(storage(), NO_EDGE, self.counter())", space)
    out = said("detach_cuts", {"minigrad.tensor.Tensor.detach": space["detach"]})
    assert "self. is missing in front: write self.storage." in out and "Did you mean" not in out


def test_an_endless_recursion_is_shown_where_it_calls_itself_not_where_it_ended():
    def deep(n):
        return n and deep(n - 1)

    def endless(n):
        if deep(25) > n:
            return n
        return endless(n + 1)

    with pytest.raises(RecursionError) as caught:
        endless(0)
    assert checks.fault(caught.value)["code"] == "return endless(n + 1)"


def test_a_block_without_its_brackets_is_told_of_them(said):
    def step(self):
        with minigrad.no_grad:
            pass

    assert "is a pair of brackets missing, as in with no_grad():" in said("sgd_step", {"minigrad.optim.SGD.step": step})


def test_a_key_that_a_dict_has_not_is_explained_and_a_string_that_is_misspelled_is_not(said):
    def count_dependencies(roots):
        counts = {}
        for root in roots:
            counts[root] += 1

    def misspelled(roots):
        return {"a": 0}["b"]

    count = "minigrad.autograd.engine.count_dependencies"
    assert "does not have this key yet" in said("edges_to_a_node", {count: count_dependencies})
    out = said("edges_to_a_node", {count: misspelled})
    assert "KeyError: 'b'" in out and "does not have this key yet" not in out


MEAN = "minigrad.ops.reduce.mean_vjp"
SGD, NO_GRAD = "minigrad.optim.SGD.step", "minigrad.autograd.grad_mode.no_grad"


def test_an_attribute_is_looked_for_among_those_that_the_engines_own_part_uses(said):
    def step(self):
        return self.parameters()

    def odd(self):
        return self.completely_unknown

    assert "Did you mean: .params\n" in said("sgd_step", {SGD: step})
    assert "Did you mean" not in said("sgd_step", {SGD: odd})


def test_dims_are_no_index(said):
    out = said("mean_backward", {MEAN: lambda grad, self_shape, dim, keepdim: grad / self_shape[dim]})
    assert "dim is not one number: it is a tuple" in out


def test_a_dict_that_grows_while_it_is_gone_through_is_told_of_a_list(said):
    def count_dependencies(roots):
        counts = dict.fromkeys(roots, 0)
        for node in counts:
            for parent, _ in node.next_functions:
                counts[parent] = counts.get(parent, 0) + 1
        return counts

    out = said("edges_to_a_node", {"minigrad.autograd.engine.count_dependencies": count_dependencies})
    assert "no key may be added or removed" in out


def test_a_local_variable_of_another_method_is_told_from_a_name_that_is_nowhere(said):
    class Remembers(minigrad.no_grad.__mro__[1]):
        def __enter__(self):
            prev = False  # noqa: F841

        def __exit__(self, *exception):
            return prev  # noqa: F821

    assert "prev is a local variable of another method" in said("no_grad_block", {NO_GRAD: Remembers})


def test_one_equals_sign_too_many_is_told_of(said):
    def fit_slope(X, Y, steps, lr):
        answer == X  # noqa: B015, F821

    assert "An assignment has one equals sign: answer = …." in said(
        "clinic_scalar", {"minigrad.clinic.fit_slope": fit_slope}
    )


def test_a_pair_of_a_node_and_a_number_that_is_taken_for_the_node_is_told_of(said):
    def count_dependencies(roots):
        counts = dict.fromkeys(roots, 0)
        for root in roots:
            for parent in root.next_functions:
                counts[parent] += 1
        return counts

    out = said("edges_to_a_node", {"minigrad.autograd.engine.count_dependencies": count_dependencies})
    assert "the whole pair was taken for the node" in out and "d.get(" not in out


def test_a_leaf_that_a_step_has_replaced_is_told_from_a_value_that_is_not_there_yet(said):
    def fit_slope(X, Y, steps, lr):
        w = minigrad.zeros(1, dtype=X.dtype, requires_grad=True)
        for _ in range(steps):
            ((Y - w * X) ** 2).mean().backward()
            w = w - lr * w.grad
        return w

    with pytest.warns(UserWarning, match="not a leaf"):
        out = said("clinic_scalar", {"minigrad.clinic.fit_slope": fit_slope})
    assert "w = w - … makes a new tensor" in out and "There is a None in that place" not in out


def test_a_grad_that_is_none_is_told_to_be_asked_why(said):
    def fit_slope(X, Y, steps, lr):
        w = minigrad.zeros(1, dtype=X.dtype, requires_grad=True)
        with minigrad.no_grad():
            w += ((Y - w * X) ** 2).mean() * 17 * w.grad
        return w

    out = said("clinic_scalar", {"minigrad.clinic.fit_slope": fit_slope})
    assert ".grad is None here: ask why" in out and "There is a None in that place" not in out


def test_a_key_that_is_taken_out_is_not_told_to_be_put_in(said):
    def remove(self):
        self._hooks().pop(self)

    out = said("hook_removal", {"minigrad.autograd.hooks.RemovableHandle.remove": remove})
    assert "KeyError" in out and "d.get(" not in out


def test_a_node_that_ran_twice_in_one_walk_is_told_from_a_second_backward(said):
    def run_backward(buffers, retain_graph, create_graph, task=None):
        ready = list(buffers)
        while ready:
            node = ready.pop()
            grad = buffers.pop(node, None)
            results = engine.run_node(node, grad, retain_graph, create_graph, task)
            for (parent, output), result in zip(node.next_functions, results, strict=False):
                if parent is not None:
                    buffers[parent] = parent.receive(result, output, True)
                    ready.append(parent)

    assert "In one walk a node has run twice" in said(
        "gradients_meet", {"minigrad.autograd.engine.run_backward": run_backward}
    )


def test_a_node_whose_turn_comes_without_a_gradient_was_queued_twice_or_early(said):
    def run_backward(buffers, retain_graph, create_graph, task=None):
        ready = [*buffers, *buffers]
        while ready:
            node = ready.pop()
            results = engine.run_node(node, buffers.pop(node, None), True, create_graph, task)
            for (parent, output), result in zip(node.next_functions, results, strict=False):
                if parent is not None and result is not None:
                    buffers[parent] = parent.receive(result, output, True)
                    ready += [parent, parent]

    out = said("each_node_once", {"minigrad.autograd.engine.run_backward": run_backward})
    assert "When this node's turn came, buffers held no gradient for it" in out
    assert "First ask whether it is None" not in out


def test_a_none_that_was_taken_for_a_value_is_named_where_no_hint_names_it(said):
    def accumulate(variable, grad, shared):
        variable._grad += grad

    def zero_grad(self, set_to_none=True):
        for p in self.params:
            p.grad.zero_()

    assert "First ask whether it is None" in said(
        "first_gradient", {"minigrad.autograd.accumulate.accumulate": accumulate}
    )
    out = said("zero_grad_zeros", {"minigrad.optim.Optimizer.zero_grad": zero_grad})
    assert "Hint: p.grad may be None" in out and "First ask whether it is None" not in out


def test_another_part_whose_cell_has_not_run_is_named(said):
    space = {"__name__": "__main__"}
    exec("def expand_vjp(grad, self_shape):\n    return unbroadcast(grad, self_shape)", space)
    out = said("expand_backward", {"minigrad.ops.shape.expand_vjp": space["expand_vjp"]})
    assert "unbroadcast is another part of this lesson, and the cell with it has not run" in out
    assert "smallest call" not in out


POP, ROWS, HOOKS, POST, SOFTMAX = (
    f"minigrad.{each}"
    for each in (
        "autograd.ready.pop",
        "autograd.functional.jacobian_rows",
        "autograd.hooks.run_tensor_hooks",
        "autograd.hooks.register_post_accumulate_hook",
        "ops.nn.log_softmax_vjp",
    )
)


def test_what_a_lists_own_method_returns_is_told_from_a_value_that_is_not_there_yet(said):
    def pop(heap):
        return heap.sort(key=lambda node: node.order).pop(0)

    def jacobian_rows(output, inputs, create_graph):
        rows = []
        for _ in range(3):
            rows = rows.append(output)
        return rows

    def of_nothing(heap):
        return None.pop(0)

    def sorts_first():
        def pop(heap):
            heap = heap.sort(key=lambda node: node.order)
            return heap.pop(0)

        return pop

    wrong = [
        ("who_goes_next", {POP: pop}),
        ("who_goes_next", {POP: sorts_first()}),
        ("row_by_row", {ROWS: jacobian_rows}),
    ]
    for name, part in wrong:
        out = said(name, part)
        assert "change the list itself and return None" in out and "There is a None in that place" not in out
    out = said("who_goes_next", {POP: of_nothing})
    assert "There is a None in that place" in out and "change the list itself" not in out


def test_a_dict_that_is_counted_through_is_told_of_its_keys(said):
    out = said("hook_order", {HOOKS: lambda hooks, grad: [hooks[i](grad) for i in range(len(hooks))][-1]})
    assert "The dict has no key 0: it is looked up by its keys, not by position" in out and "d.get(" not in out


def test_a_function_that_goes_on_calling_itself_is_asked_what_was_meant_but_not_beside_a_hint(said):
    out = said("post_accumulate", {POST: lambda tensor, hook: tensor.register_post_accumulate_grad_hook(hook)})
    assert "A function goes on calling itself" in out

    def walks_down(node, counts):
        for parent, _ in node.next_functions:
            if parent is not None:
                counts[parent] = counts.get(parent, 0) + 1
                if counts[parent] == 1:
                    walks_down(parent, counts)

    def count_dependencies(roots):
        counts = dict.fromkeys(roots, 0)
        for root in roots:
            walks_down(root, counts)
        return counts

    out = said("edges_of_deep_graphs", {"minigrad.autograd.engine.count_dependencies": count_dependencies})
    assert "Hint" in out and "RecursionError" in out and "A function goes on calling itself" not in out


def test_a_sum_of_numpys_is_told_its_own_words(said):
    out = said("log_softmax_backward", {SOFTMAX: lambda grad, result, dim: grad - grad.sum(dim, keepdim=True)})
    assert "its methods say axis and keepdims where torch says dim and keepdim" in out
