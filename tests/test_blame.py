"""A check that would fail for another part's sake runs on the engine's own, and says so: which part, and whose check."""

import inspect

import pytest

import autograder
from autograder import blame, messages, notebook, parts, workspace
from minigrad.autograd import accumulate, engine

SUM, MEAN, TANH = (f"minigrad.ops.{each}_vjp" for each in ("reduce.sum", "reduce.mean", "pointwise.tanh"))
DIVIDE = """
def mean_vjp(grad, self_shape, dim, keepdim):
    averaged = math.prod(self_shape if dim is None else [self_shape[d] for d in dim])
    return sum_vjp(grad, self_shape, dim, keepdim) / averaged
"""
FORGETS_THE_COUNT = (
    "def mean_vjp(grad, self_shape, dim, keepdim):\n    return sum_vjp(grad, self_shape, dim, keepdim)\n"
)
FIRST_ONLY = """
def sum_vjp(grad, self_shape, dim, keepdim):
    return rules.expand(grad if keepdim or dim is None else rules.unsqueeze(grad, dim[0]), self_shape)
"""
RIGHT_SUM = """
def sum_vjp(grad, self_shape, dim, keepdim):
    for d in sorted(dim) if dim is not None and not keepdim else ():
        grad = rules.unsqueeze(grad, d)
    return rules.expand(grad, self_shape)
"""
GRAPH = "graph_of_a_network"
STUB = "def sum_vjp(grad, self_shape, dim, keepdim):\n    raise NotImplementedError\n"


@pytest.fixture(autouse=True)
def in_english():
    messages.language("en")
    yield
    parts.unplug()
    messages.language("both")
    notebook._seeds.clear()
    workspace._passed.clear()  # it has the engine's own in it, which stood for a learner's here


def written(*sources):
    """The parts as one notebook has them: they call each other by name."""
    space = {"__name__": "__main__"}
    exec("import math\nfrom minigrad import rules\n" + "\n".join(sources), space)
    return {part: space[name] for part in (SUM, MEAN, TANH) if (name := part.rpartition(".")[2]) in space}


def said(capsys, name, plugged, seed=5):
    with parts.plugged_in(plugged):
        autograder.check(name, seed)
    return capsys.readouterr().out


IN_PLACE = "The result above is with the engine's own in place"


def test_a_right_part_on_a_wrong_one_passes_and_the_wrong_one_is_named(capsys):
    out = said(capsys, "mean_backward", written(FIRST_ONLY, DIVIDE))
    assert out.startswith("✓ mean_backward · 2/2")
    assert f"This check also runs on sum_vjp, and yours would lose points here. {IN_PLACE}" in out
    assert 'what is wrong with yours, run check("sum' in out
    assert said(capsys, "sum_backward", written(FIRST_ONLY, DIVIDE)).startswith("✗ sum_backward")


def test_who_waited_in_vain_does_not_wait_again(capsys, monkeypatch):
    endless = written("def sum_vjp(grad, self_shape, dim, keepdim):\n    while True: pass\n", DIVIDE)
    monkeypatch.setattr(notebook, "LONGEST", 0.3)
    monkeypatch.setattr(notebook, "AGAIN", 0.3)
    first = said(capsys, "mean_backward", endless)
    monkeypatch.setattr(notebook, "LONGEST", 1e6)
    again = said(capsys, "mean_backward", endless)
    assert "✓ mean_backward · 2/2" in first and "✓ mean_backward · 2/2" in again
    assert "Yours found no end in another check" in again and 'run check("sum' in again
    mended = said(capsys, "mean_backward", written(RIGHT_SUM, DIVIDE))
    assert "sum_vjp" not in mended


def test_a_function_that_no_lesson_asks_for_is_named_as_such(capsys):
    from minigrad import warmup

    LOSS, OWN = "minigrad.warmup.squared_loss", "minigrad.warmup.squared_loss_grad"
    out = said(
        capsys,
        "warmup_descent",
        {LOSS: lambda w, X, Y: -2.0 * (X * (Y - w * X)).sum(), OWN: warmup.squared_loss_grad},
    )
    assert (
        "✓ warmup_descent" in out and "No lesson asks for squared_loss, yet you have replaced the engine's own" in out
    )


def test_where_both_are_wrong_both_are_said(capsys):
    half_right = DIVIDE.replace("[self_shape[d] for d in dim]", "self_shape[:1]")
    alone = said(capsys, "mean_backward", written(RIGHT_SUM, half_right))
    both = said(capsys, "mean_backward", written(RIGHT_SUM.replace("return ", "return 2 * "), half_right))
    assert "sum_vjp, and yours would lose points here" in both
    rest = [line for line in both.splitlines() if IN_PLACE not in line]
    assert alone.splitlines() == rest  # the same result, and the same to say of it


def test_a_wrong_part_on_right_ones_is_blamed_on_nobody_else(capsys):
    out = said(capsys, "mean_backward", written(RIGHT_SUM, FORGETS_THE_COUNT))
    assert out.startswith("✗ mean_backward") and IN_PLACE not in out and "Hint: " in out


def test_a_part_that_calls_one_not_written_yet_runs_on_the_engines_own_and_is_told_which(capsys):
    out = said(capsys, "mean_backward", written(STUB, DIVIDE))
    assert out.startswith("✓ mean_backward · 2/2") and "the check used sum_vjp, which you have not written yet" in out
    wrong = said(capsys, "mean_backward", written(STUB, FORGETS_THE_COUNT))
    assert wrong.startswith("✗ mean_backward") and "you have not written yet" in wrong and "Hint: " in wrong


def test_two_parts_that_ask_each_other_are_told_so(capsys):
    leaf, history = (f"minigrad.tensor.Tensor.{each}" for each in ("is_leaf", "grad_fn"))
    space = {"__name__": "__main__"}
    exec("def is_leaf(self):\n    return self.grad_fn is None\n", space)
    exec("def grad_fn(self):\n    return None if self.is_leaf else self._edge[0]\n", space)
    both = {leaf: space["is_leaf"], history: space["grad_fn"]}
    for check, other in (("leaf_or_not", "grad_fn"), ("grad_fn_names", "is_leaf")):
        out = said(capsys, check, both)
        assert out.startswith(f"✓ {check} · 2/2") and "would lose points" not in out
        assert f"runs on your {other}. Each asks the other" in out and f"the engine's own {other} in place" in out
        alone = {part: written for part, written in both.items() if part.rpartition(".")[2] != other}
        assert "Each asks the other" not in said(capsys, check, alone)


def test_a_part_of_an_earlier_lesson_is_never_graded_and_not_held_against_this_one(capsys, monkeypatch):
    monkeypatch.setattr(workspace, "carried", lambda: {SUM})
    out = said(capsys, "mean_backward", written(FIRST_ONLY, DIVIDE))
    assert out.startswith("✓ mean_backward · 2/2") and "This check also runs on sum_vjp from earlier lessons" in out


@pytest.mark.slow
def test_a_check_of_many_parts_names_the_wrong_ones(capsys):
    def nearly(grad, result):
        return grad * (1 - 1.5 * result * result)

    def no_grad_in_it(grad, result):
        return 1 - result * result

    name = "derivatives_in_a_network"
    right = {part: parts.original(part) for part in autograder.checks.get(name).parts}
    assert "the mistake is in your tanh_vjp.\n" in said(capsys, name, right | {TANH: nearly})
    twice = said(capsys, name, right | {TANH: nearly} | written(RIGHT_SUM.replace("return ", "return 2 * ")))
    assert "the mistake is in your tanh_vjp, sum_vjp.\n" in twice
    assert "Hint for tanh_vjp: " in said(capsys, name, right | {TANH: no_grad_in_it})


COUNT, POP, WALK = (
    f"minigrad.autograd.{each}" for each in ("engine.count_dependencies", "ready.pop", "engine.run_backward")
)


@pytest.mark.slow
def test_a_check_that_does_not_end_for_another_parts_sake_runs_without_it(capsys, monkeypatch):
    """One that goes round inside, where nobody counts."""
    monkeypatch.setattr(notebook, "LONGEST", 0.5)
    monkeypatch.setattr(notebook, "AGAIN", 2)

    def endless(heap):
        while True:
            pass

    mine = {part: parts.original(part) for part in (COUNT, POP, WALK)} | {POP: endless}
    out = said(capsys, "order_of_hooks", mine)
    assert out.startswith("✓ order_of_hooks") and 'what is wrong with yours, run check("who_goes_next")' in out
    out = said(capsys, "engine_trains_a_network", mine)
    assert out.startswith("✗ engine_trains_a_network · 0/") and "The check ran for 0.5 seconds and was stopped" in out
    assert "With the engine's own pop this check passes: the mistake is in your pop." in out


@pytest.mark.parametrize("by_name", [True, False])
def test_a_part_that_is_called_for_ever_is_stopped_at_once_and_named(capsys, by_name):
    """A queue that never gets shorter, be it asked by the engine's walk or by the learner's own, in the same notebook."""
    space = {**vars(engine), "__name__": "__main__"}
    exec("def pop(heap):\n    return min(heap, key=lambda node: node.order)", space)
    if by_name:
        exec(inspect.getsource(parts.original(WALK)), space)
    mine = {COUNT: parts.original(COUNT), WALK: space["run_backward"], POP: space["pop"]}
    out = said(capsys, "order_of_hooks", mine)
    assert out.startswith("✓ order_of_hooks") and 'what is wrong with yours, run check("who_goes_next")' in out
    assert "Hint for pop: You found the right one, but it stays in" in said(capsys, "engine_trains_a_network", mine)
    assert space["pop"] is mine[POP]


def test_a_loop_without_an_end_of_ones_own_is_blamed_on_nobody(capsys, monkeypatch):
    def endless(roots):
        while True:
            pass

    monkeypatch.setattr(notebook, "LONGEST", 0.3)
    monkeypatch.setattr(notebook, "AGAIN", 0.3)
    mine = {part: parts.original(part) for part in (COUNT, POP, WALK)}
    out = said(capsys, "edges_to_a_node", mine | {COUNT: endless})
    assert out.startswith("✗ edges_to_a_node") and "most likely a loop never ends" in out and "engine's own" not in out


def test_what_the_learners_functions_call_is_put_back():
    mine = written(FIRST_ONLY, DIVIDE)
    space = mine[MEAN].__globals__
    with parts.plugged_in(mine):
        with pytest.raises(KeyError), parts.engines_own([SUM]):
            assert space["sum_vjp"] is parts.original(SUM) and parts.plugged()[SUM] is parts.original(SUM)
            raise KeyError
        assert space["sum_vjp"] is mine[SUM] is parts.plugged()[SUM]


@pytest.mark.parametrize("wrong", [["a"], ["e"], ["a", "e"], ["b", "c"], ["a", "b", "c", "d", "e", "f"]])
def test_the_fewest_are_found_in_few_runs(wrong):
    asked = []

    def enough(some):
        asked.append(some)
        return set(wrong) <= set(some)

    assert blame._fewest(list("abcdef"), enough) == wrong
    assert len(asked) <= 10


def test_a_part_without_an_end_in_another_check_does_not_keep_this_one(capsys, monkeypatch):
    """What there is to say is looked for in other checks, too."""
    monkeypatch.setattr(notebook, "EXPLAINED", 1)

    def unbroadcast(grad, shape):
        while grad.ndim > len(shape):
            grad.sum(0)
        return grad

    out = said(capsys, "unbroadcast_ones", {"minigrad.autograd.accumulate.unbroadcast": unbroadcast})
    assert (
        out.startswith("✗ unbroadcast_ones") and 'your part never stops there. Look at check("unbroadcast_rows")' in out
    )


def test_a_right_part_that_a_wrong_one_asks_for_something_else_is_not_said_to_return_the_wrong_kind(capsys):
    """What the engine's own returns there is noted as well when the wrong part calls it by its name."""
    from autograder import checks

    space = {"__name__": "__main__"}
    exec(parts.source("minigrad.autograd.accumulate.gradient_edge"), vars(accumulate) | space, space)
    exec("def grad_fn(self):\n    return gradient_edge(self)[0]\n", space)
    mine = {part: space.get(part.rpartition(".")[2]) or parts.original(part) for part in checks.get(GRAPH).parts}
    out = said(capsys, GRAPH, mine)
    assert "Hint for grad_fn" in out and "gradient_edge returned" not in out
