"""Parts: named, plugged in everywhere, counted, and taken out without a trace."""

import contextlib
import functools
import gc
import types

import numpy as np
import pytest

import minigrad
from autograder import checks, messages, parts
from autograder.errors import NotWritten, PartError, UnknownName
from autograder.swap import replace_everywhere

MUL = "minigrad.ops.pointwise.mul_vjp_self"
STEP = "minigrad.optim.SGD.step"
NO_GRAD = "minigrad.autograd.grad_mode.no_grad"
ITEM = "minigrad.tensor.Tensor.item"
IS_LEAF = "minigrad.tensor.Tensor.is_leaf"
USED = sorted({part for check in checks.REGISTRY.values() for part in check.parts})


@pytest.fixture(autouse=True)
def nothing_stays_plugged():
    yield
    parts.unplug()


def not_written(grad, other):
    raise NotImplementedError


def gradient_of_a_product():
    w = minigrad.tensor([2.0], requires_grad=True)
    (w * minigrad.tensor([5.0])).backward()
    return w.grad.item()


def test_the_engine_runs_on_what_is_plugged_in():
    @parts.implements(MUL)
    def ten_times(grad, other):
        return 10 * grad * other

    assert gradient_of_a_product() == 50.0
    assert parts.calls(MUL) == 1
    assert parts.plugged() == {MUL: ten_times}


@pytest.mark.parametrize("shape", [(100, 1), (1, 2000), (2000,)])
def test_what_is_plugged_in_runs_for_large_matrices_too(shape):
    """The engine's own rule of mul and its unbroadcast are one sum of products there; others are called."""
    x, y = minigrad.rand(100, 2000), minigrad.rand(100, 2000)
    unbroadcast = "minigrad.autograd.accumulate.unbroadcast"

    def gradient():
        w = minigrad.ones(shape, requires_grad=True)
        (x * w * y).sum().backward()
        return w.grad

    expected = gradient()
    for part in ("minigrad.ops.pointwise.mul_vjp_other", unbroadcast):
        own = parts.original(part)
        with parts.plugged_in({part: lambda grad, other, own=own: 2 * own(grad, other)}):
            assert minigrad.allclose(gradient(), 2 * expected)
            assert parts.calls(part) == 1
    assert minigrad.equal(gradient(), expected)


def test_a_second_plug_replaces_the_first_and_counts_anew():
    parts.plug(MUL, lambda grad, other: grad)
    gradient_of_a_product()
    parts.plug(MUL, lambda grad, other: 3 * grad)
    assert parts.calls(MUL) == 0
    assert gradient_of_a_product() == 3.0


def test_unplugging_gives_the_engine_its_own_back():
    own = parts.original(MUL)
    parts.plug(MUL, lambda grad, other: grad)
    assert parts.original(MUL) is own
    parts.unplug(MUL)
    assert minigrad.ops.pointwise.mul_vjp_self is own
    assert gradient_of_a_product() == 5.0
    assert parts.plugged() == {} and parts.calls(MUL) == 0


def test_plugged_in_for_the_length_of_a_block():
    parts.plug(MUL, lambda grad, other: 2 * grad)
    gradient_of_a_product()
    with pytest.raises(ZeroDivisionError), parts.plugged_in({MUL: lambda grad, other: 7 * grad}):
        assert gradient_of_a_product() == 7.0
        1 / 0
    assert gradient_of_a_product() == 2.0
    assert parts.calls(MUL) == 2


def test_methods_and_properties_are_parts():
    with parts.plugged_in({ITEM: lambda self: "an item", IS_LEAF: lambda self: "a leaf"}):
        w = minigrad.tensor([1.0])
        assert (w.item(), w.is_leaf) == ("an item", "a leaf")
        assert (parts.calls(ITEM), parts.calls(IS_LEAF)) == (1, 1)
    assert (w.item(), w.is_leaf) == (1.0, True)
    assert isinstance(vars(minigrad.Tensor)["is_leaf"], property)


def test_a_class_is_a_part_and_counts_how_often_it_is_made():
    class Announced(parts.original(NO_GRAD)):
        pass

    with parts.plugged_in({NO_GRAD: Announced}):
        with minigrad.no_grad():
            assert not minigrad.is_grad_enabled()
        w = minigrad.tensor([1.0], requires_grad=True)
        w.grad = minigrad.tensor([1.0])
        minigrad.optim.SGD([w], lr=1.0).step()  # the optimizer's own no_grad is the learner's as well
        assert parts.calls(NO_GRAD) == 2
    assert isinstance(minigrad.no_grad(), parts.original(NO_GRAD))


def holders(original):
    """What in the engine refers to `original`: names of modules, attributes of classes, tables, closures."""
    inside = [cell for cell in cells() if cell.cell_contents is original]
    return inside + [each for each in gc.get_referrers(original) if _in_the_engine(each)]


@functools.cache
def cells():
    """What the engine's functions have closed over, empty cells left out: looked for once, in a process full of other things."""
    parts.names()  # loads all of it
    ours = [each for each in gc.get_objects() if _is_ours(each)]
    return [cell for each in ours for cell in each.__closure__ or () if cell != types.CellType()]


def _in_the_engine(holder):
    if isinstance(holder, dict):
        name = holder.get("__name__" if "__spec__" in holder else "__module__", "")
        return isinstance(name, str) and name.split(".")[0] == "minigrad"
    if isinstance(holder, tuple) and any(_is_a_function_of_others(each) for each in gc.get_referrers(holder)):
        return False  # the default arguments of a known mistake, which may call the engine's own
    return isinstance(holder, tuple | list | set | property | staticmethod | classmethod)


def _is_a_function_of_others(holder):
    return isinstance(holder, types.FunctionType) and not _is_ours(holder)


def _is_ours(holder):
    """A function whose code stands in the engine; a plug's wrapper only has the name of what it wraps."""
    return type(holder) is types.FunctionType and holder.__globals__.get("__name__", "").split(".")[0] == "minigrad"


@pytest.mark.slow
@pytest.mark.parametrize("part", [part for part in USED if part != NO_GRAD])
def test_no_reference_to_the_original_is_left(part):
    own = parts.original(part)
    assert holders(own)
    with parts.plugged_in({part: lambda *args, **kwargs: own(*args, **kwargs)}):
        assert holders(own) == []
    assert holders(own)


@pytest.mark.parametrize("part", USED)
def test_every_part_of_a_check_is_used_by_it(part):
    for check in checks.REGISTRY.values():
        if part in check.parts:
            with parts.plugged_in({each: parts.original(each) for each in check.parts}):
                assert checks.attempt(check, minigrad, 1).calls[part] > 0, check.name


@pytest.mark.parametrize(
    "wrong, nearest",
    [
        ("minigrad.optim.SGD.stop", "minigrad.optim.SGD.step"),
        ("minigrad.ops.pointwise.mul_vjp_slef", MUL),
        ("minigrad.ops.pointwize.mul_vjp_self", MUL),
        ("minigrad.no_grad", NO_GRAD),  # an import, not where it lives
        ("mul_vjp_self", MUL),
        ("numpy.sin", ""),
        ("minigrad", ""),
        ("minigrad.ops", ""),
        ("minigrad.autograd.graph.MODIFIED", ""),
        ("", ""),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_offered(wrong, nearest):
    with pytest.raises(UnknownName) as caught:
        parts.implements(wrong)
    said = str(caught.value)
    assert "没有名为" in said and "There is no part" in said and nearest in said


@pytest.mark.parametrize(
    "written",
    [
        lambda grad: grad,
        lambda grad, other, more: grad,
        lambda other, grad: grad,
        lambda: 1,
        lambda grad, *, other: grad,
    ],
)
def test_a_wrong_signature_is_refused_at_once(written):
    with pytest.raises(PartError, match="def mul_vjp_self\\(grad, other\\)") as caught:
        parts.plug(MUL, written)
    assert "参数" in str(caught.value)
    assert parts.plugged() == {}


@pytest.mark.parametrize(
    "written",
    [
        lambda grad, other: grad,
        lambda g, o: g,
        lambda grad, other, verbose=False: grad,
        lambda *saved: saved[0],
        np.multiply,
    ],
)
def test_what_the_engine_can_call_is_accepted(written):
    parts.plug(MUL, written)
    gradient_of_a_product()
    assert parts.calls(MUL) == 1


@pytest.mark.parametrize("written", [lambda self, tensors: None, lambda self: None, lambda self, a, b=None: None])
def test_a_star_that_is_missing_is_shown_where_it_belongs(written):
    with pytest.raises(PartError, match=r"def save_for_backward\(self, \*tensors\):"):
        parts.plug("minigrad.autograd.function.FunctionCtx.save_for_backward", written)


def test_the_head_that_is_offered_keeps_what_has_a_default():
    with pytest.raises(PartError, match=r"def check_version\(saved, expected, source=''\):"):
        parts.plug("minigrad.autograd.graph.check_version", lambda saved, expected: None)


@pytest.mark.parametrize("written", [3, None, "def mul_vjp_self"])
def test_what_is_no_function_is_refused(written):
    with pytest.raises(PartError, match="This must be a function"):
        parts.plug(MUL, written)


def test_a_part_not_written_says_so_and_the_engine_goes_on_with_its_own(capsys):
    right = gradient_of_a_product()

    @parts.implements(MUL)
    def mul_vjp_self(grad, other):
        raise NotImplementedError

    told = capsys.readouterr().out
    assert "还没有写" in told and "not written yet" in told
    assert gradient_of_a_product() == right and parts.unwritten(MUL)

    @parts.implements(MUL)
    def left_above(grad, other):
        product = grad * other
        return product
        raise NotImplementedError

    told = capsys.readouterr().out
    assert "把这一行删掉" in told and "delete that line" in told


def test_the_remark_on_a_part_not_written_is_in_the_language_chosen(capsys):
    messages.language("en")
    try:
        parts.implements(MUL)(not_written)
    finally:
        messages.language("both")
    assert capsys.readouterr().out.startswith("mul_vjp_self is not written yet")


def test_implements_without_brackets_asks_for_the_name_and_knows_it():
    def mul_vjp_self(grad, other):
        return grad * other

    with pytest.raises(UnknownName, match="Put its name in the brackets") as caught:
        parts.implements(mul_vjp_self)
    assert f"Did you mean: {MUL}" in str(caught.value)


def test_a_part_not_written_is_an_error_in_words_while_a_check_runs():
    parts.plug(MUL, not_written)
    with parts.checking([MUL]), pytest.raises(NotWritten, match="还没有写") as caught:
        gradient_of_a_product()
    assert isinstance(caught.value, NotImplementedError)
    assert 'hint("mul_vjp_self")' in str(caught.value)
    assert parts.unwritten(MUL)
    parts.reset(MUL)
    assert not parts.unwritten(MUL) and parts.calls(MUL) == 0


def test_a_class_with_a_method_not_written_leaves_the_engine_its_own_outside_checks(capsys):
    @parts.implements(NO_GRAD)
    class NoGrad:
        def __enter__(self):
            raise NotImplementedError

    assert "no_grad 还没有写" in capsys.readouterr().out
    with minigrad.no_grad():
        assert not minigrad.is_grad_enabled()
    with parts.checking([MUL]), minigrad.no_grad():
        assert not minigrad.is_grad_enabled()
    with parts.checking([NO_GRAD]):
        assert type(minigrad.no_grad()) is NoGrad


def test_a_written_part_is_not_blamed_for_one_that_it_uses():
    def item(self):
        raise NotImplementedError

    def step(self):
        for group in self.param_groups:
            group["params"][0].item()

    w = minigrad.tensor([1.0])
    with parts.plugged_in({STEP: step, ITEM: item}), parts.checking([STEP, ITEM]):
        with pytest.raises(NotWritten, match="Tensor.item"):
            minigrad.optim.SGD([w], lr=1.0).step()
        assert parts.unwritten(ITEM) and not parts.unwritten(STEP)


def test_what_a_part_returns_is_remembered_by_kind():
    parts.plug(MUL, lambda grad, other: None)
    gradient = minigrad.tensor([2.0], requires_grad=True)
    product = gradient * minigrad.tensor([5.0])
    product.backward(retain_graph=True)
    assert not parts.returned(MUL).kinds  # no check is running
    with parts.checking([MUL]):
        product.backward()
    assert parts.returned(MUL).kinds == {"NoneType"}


@pytest.mark.parametrize(
    "written, kinds, handed_on, plain",
    [
        (lambda grad, other: grad, {"array"}, (0,), {}),
        (lambda grad, other: (grad, 1), {("array", "number")}, (), {}),
        (lambda grad, other: (grad,) * 5, {"tuple"}, (), {}),
        (lambda grad, other: True, {"bool"}, (), {"True": 2}),
        (lambda grad, other: None, {"NoneType"}, (), {"None": 2}),
    ],
)
def test_what_came_out_of_every_call_is_remembered(written, kinds, handed_on, plain):
    parts.plug(MUL, written)
    for _ in range(2):
        with contextlib.suppress(AttributeError, TypeError), parts.checking([MUL]):
            gradient = minigrad.tensor([2.0], requires_grad=True)
            (gradient * minigrad.tensor([5.0])).backward()
    found = parts.returned(MUL)
    assert (found.kinds, found.only_handed_on, found.plain) == (kinds, handed_on, plain)
    parts.reset(MUL)
    assert not parts.returned(MUL).kinds


def test_the_source_is_the_engines_own_also_while_another_is_plugged_in():
    with parts.plugged_in({MUL: lambda grad, other: grad}):
        assert "return grad * other" in parts.source(MUL)
    assert "\ndef step(self) -> None:" in parts.source(STEP)


def test_names_offers_the_parts_that_checks_use():
    assert set(USED) <= set(parts.names())


# ── Replacing by identity ────────────────────────────────────────────────────────────────────────


def test_everything_a_package_holds_is_replaced(monkeypatch):
    module = types.ModuleType("held")
    exec(
        "import functools\n"
        "def old(): return 'old'\n"
        "def closed():\n    inner = old\n    return lambda: inner()\n"
        "def default(f=old, *, g=old): return f() + g()\n"
        "class Slotted:\n    __slots__ = ('rule',)\n"
        "class Node:\n    vjps = (old, len)\n    table = {'a': [old]}\n"
        "    kept = property(lambda self: 1)\n    still = staticmethod(old)\n    named = property(old)\n"
        "thing = Slotted(); thing.rule = old\n"
        "through = closed()\n"
        "part = functools.partial(old)\n",
        vars(module),
    )
    monkeypatch.setitem(__import__("sys").modules, "held", module)

    def new(*_):
        return "new"

    old = module.old
    replace_everywhere("held", [(old, new)])
    assert module.old is new and module.Node.vjps == (new, len) and module.Node.table == {"a": [new]}
    assert module.Node.still() == "new" and module.Node().named == "new" and module.Node().kept == 1
    assert module.thing.rule is new and module.through() == "new" and module.part() == "new"
    assert module.default() == "newnew"
    replace_everywhere("held", [(new, old)])
    assert module.through() == "old" and module.Node.vjps == (old, len) and module.default() == "oldold"
