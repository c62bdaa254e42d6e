"""Known mistakes of lesson 10: recording switched off and not on again, writes that nobody notices, lost leaves."""

from __future__ import annotations

import warnings
from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.grad_mode import Decorating, is_grad_enabled, no_grad, set_grad_enabled, set_recording
from minigrad.autograd.graph import modified_message

NO_GRAD = "minigrad.autograd.grad_mode.no_grad"
CHECK_VERSION = "minigrad.autograd.graph.check_version"
STEP = "minigrad.optim.SGD.step"

# ── no_grad ──────────────────────────────────────────────────────────────────────────────────────


class _Base(Decorating):
    """no_grad as it should be; each mistake changes one thing."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = set_recording(False)

    def __exit__(self, *exception: object) -> Any:
        set_recording(self.prev)


@mistake(
    NO_GRAD,
    zh="出来时总是把记录打开。外面若还有一层 no_grad，它就提前失效了。要恢复进来之前的状态，而不是 True。",
    en="On leaving, recording is always switched on. If there is another no_grad around it, that one ends too early. Restore the earlier state, not True.",
)
class AlwaysSwitchesOn(_Base):
    def __exit__(self, *exception: object) -> None:
        set_recording(True)


@mistake(
    NO_GRAD,
    zh="块里一出错，记录就再也没有打开。__exit__ 在出错时也会被调用，那时同样要恢复（用 @contextmanager 写的话，恢复要放进 finally）。",
    en="After an error in the block recording stays off. __exit__ is called then, too, and must restore the state just the same (with @contextmanager: in a finally).",
)
class ForgetsAfterAnError(_Base):
    def __exit__(self, *exception: object) -> None:
        if not any(exception):
            set_recording(self.prev)


@mistake(
    NO_GRAD,
    zh="__exit__ 返回了 True，Python 就把块里的错误吞掉了。别返回任何东西。",
    en="__exit__ returns True, and so Python swallows the block's error. Return nothing.",
)
class SwallowsErrors(_Base):
    def __exit__(self, *exception: object) -> bool:
        super().__exit__()
        return True


@mistake(
    NO_GRAD,
    zh="进来前的状态记得太早了：在 __init__ 里记的，可对象可能在别处创建、过后才进入。要在 __enter__ 里记。",
    en="The state was noted too early, in __init__; the object may be made in one place and entered in another. Note it in __enter__.",
)
class RemembersWhenMade(_Base):
    def __init__(self) -> None:
        self.at_birth = is_grad_enabled()

    def __enter__(self) -> None:
        set_recording(False)

    def __exit__(self, *exception: object) -> None:
        set_recording(self.at_birth)


@mistake(
    NO_GRAD,
    zh="离开块之后，记录还关着：要么没有恢复，要么记下的是关掉之后的样子。set_recording(False) 返回的正是关掉之前的。",
    en="Recording stays off after the block: either it is not restored, or it was noted after being switched off. What it was before is what set_recording(False) returns.",
)
class NeverRestores(_Base):
    def __exit__(self, *exception: object) -> None:
        pass


@mistake(
    NO_GRAD,
    zh="进来前的状态记在了类上，所有对象共用一份：里层一进入，就盖掉了外层记下的。要记在 self 上。",
    en="The state is kept on the class, shared by all: the inner block overwrites what the outer one noted. Keep it on self.",
)
class RemembersOnTheClass(_Base):
    shared = True

    def __enter__(self) -> None:
        type(self).shared = set_recording(False)

    def __exit__(self, *exception: object) -> None:
        set_recording(type(self).shared)


@mistake(
    NO_GRAD,
    zh="对象一创建，记录就关了。no_grad() 只是造好一个开关，到 __enter__ 才该关。",
    en="Recording goes off as soon as the object is made. no_grad() only makes the object; recording goes off in __enter__.",
)
class SwitchesOffWhenMade(_Base):
    def __init__(self) -> None:
        super().__init__()
        self.prev = set_recording(False)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        set_recording(self.prev)


@mistake(
    NO_GRAD,
    zh="块里照样在记录：__enter__ 没有把开关关上。",
    en="Recording goes on inside the block: __enter__ does not switch it off.",
)
class NeverSwitchesOff(_Base):
    def __enter__(self) -> None:
        self.prev = is_grad_enabled()


# ── check_version ────────────────────────────────────────────────────────────────────────────────


@mistake(
    CHECK_VERSION,
    zh="被改写过的值也放行了，梯度悄悄地错了。版本号与保存时不同，就要 raise RuntimeError；return 和 print 都拦不住。",
    en="You let overwritten values through, and the gradient is silently wrong. If the version is not the one at saving, raise a RuntimeError; returning or printing something stops nobody.",
)
def never_raises(saved: Any, expected: int, source: str = "") -> None:
    pass


@mistake(
    CHECK_VERSION,
    zh="保存之后没有人改写，你也报错。要和保存时的版本比，不同（!=）才报；保存之前写的没有关系。",
    en="You raise even where nothing was written after saving. Compare with the version at saving, and raise only if it differs (!=); writes before saving do no harm.",
)
def raises_for_any_write(saved: Any, expected: int, source: str = "") -> None:
    if saved._version > 0:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


@mistake(
    CHECK_VERSION,
    zh="只给了警告，反向传播照样用错的值算下去。torch 在这里直接报 RuntimeError。",
    en="Only a warning, and backward goes on with the wrong values. torch raises a RuntimeError here.",
)
def only_warns(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        warnings.warn(modified_message(saved, saved._version, expected, source), stacklevel=2)


@mistake(
    CHECK_VERSION,
    zh="错误是报了，类别不对：torch 报的是 RuntimeError。",
    en="An error is raised, but of another class: torch raises RuntimeError.",
)
def raises_value_error(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        raise ValueError(modified_message(saved, saved._version, expected, source))


@mistake(
    CHECK_VERSION,
    zh="错误信息里两个版本号写反了：先说现在的版本，再说保存时的版本。",
    en="The two versions are swapped in the message: first the version now, then the one at saving.",
)
def exchanges_the_versions(saved: Any, expected: int, source: str = "") -> None:
    if saved._version != expected:
        raise RuntimeError(modified_message(saved, expected, saved._version, source))


@mistake(
    CHECK_VERSION,
    zh="差一次没有算进去：只要版本变了一次就该报错，不用等到第二次。",
    en="Off by one: a single write is enough to raise; do not wait for the second.",
)
def allows_one_write(saved: Any, expected: int, source: str = "") -> None:
    if saved._version > expected + 1:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


# ── SGD.step ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    STEP,
    zh="w 没有动：你算出了新张量，却只把它绑到了一个名字、或列表的一格上。要在 no_grad 里原地更新（p -= …）。",
    en="w did not move: a new tensor was computed and only bound to a name, or to a place in a list. Update in place (p -= …) under no_grad.",
)
def rebinds_the_name(self: Any) -> None:
    for i, p in enumerate(self.params):
        if p.grad is not None:
            self.params[i] = p - self.lr * p.grad


@mistake(
    STEP,
    zh="数值对了，但更新走的是 .data 或 ._data，autograd 看不见：之前保存的值被改写了，也没有人报错。用 no_grad 加原地更新。",
    en="The numbers are right, but the update went through .data or ._data, where autograd cannot see it: saved values are overwritten and nobody complains. Use no_grad and an in-place update.",
)
def goes_through_data(self: Any) -> None:
    for p in self.params:
        if p.grad is not None:
            p.data.sub_(self.lr * p.grad)


@mistake(
    STEP,
    zh="方向反了：梯度指向上坡，下降要减去它。",
    en="The wrong way: the gradient points uphill, and descent subtracts it.",
)
def goes_uphill(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p += self.lr * p.grad


@mistake(
    STEP,
    zh="忘了乘学习率 lr，每一步都迈了整个梯度那么大。",
    en="The learning rate is missing: each step is as large as the whole gradient.",
)
def forgot_the_rate(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= p.grad


@mistake(
    STEP,
    zh="没有走到最后一个参数：循环里有 return 或 break。碰到没有梯度的参数要跳过它，继续下一个。",
    en="The loop ends before the last parameter: there is a return or a break in it. Skip a parameter without a gradient, and go on with the next.",
)
def stops_at_the_first_none(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is None:
                return
            p -= self.lr * p.grad


@mistake(
    STEP,
    zh="更新之后顺手把梯度清掉了。torch 的 step 不碰梯度，清零是 zero_grad 的事。",
    en="You clear the gradients on the way. torch's step leaves them alone; clearing is the job of zero_grad.",
)
def clears_the_gradients(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p -= self.lr * p.grad
                p.grad = None


@mistake(
    STEP,
    zh="更新量对了，但 p.grad 被原地乘上了 lr。别人还要看这个梯度（比如裁剪、打印），不要改它。",
    en="The step is right, but p.grad itself was multiplied by lr. Others still read it (clipping, printing): leave it as it is.",
)
def scales_the_gradient(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p.grad *= self.lr
                p -= p.grad


@mistake(
    STEP,
    zh="更新时还在记录：需要梯度的叶子不许这样原地更新。把它放进 with no_grad():（这一课的；torch.no_grad 只管 torch）。",
    en="The update is being recorded, and a leaf that requires grad must not be changed in place like that. Put it inside `with no_grad():` (this lesson's; torch.no_grad switches torch only).",
)
def without_no_grad(self: Any) -> None:
    for p in self.params:
        if p.grad is not None:
            p -= self.lr * p.grad


@mistake(
    STEP,
    zh="更新完之后，记录一直关着，后面的运算都不再进计算图。用 with no_grad()，它会自己恢复。",
    en="Recording stays off after the step, and nothing later enters the graph. Use `with no_grad()`, which restores it.",
)
def leaves_recording_off(self: Any) -> None:
    set_grad_enabled(False)
    for p in self.params:
        if p.grad is not None:
            p -= self.lr * p.grad


@mistake(
    STEP,
    zh="更新之后 w 不再要求梯度了：requires_grad 被关掉，没有再打开。用 no_grad，不用碰它。",
    en="After the update w no longer requires grad: it was switched off and never on again. With no_grad there is no need to touch it.",
)
def switches_requires_grad_off(self: Any) -> None:
    for p in self.params:
        if p.grad is not None:
            p.requires_grad_(False)
            p -= self.lr * p.grad


@mistake(
    STEP,
    zh="没有梯度的参数，p.grad 是 None，不能拿去乘。先看 p.grad is not None，再更新。",
    en="A parameter without a gradient has None for its p.grad, which cannot be multiplied. Ask `p.grad is not None` before the update.",
)
def multiplies_none(self: Any) -> None:
    with no_grad():
        for p in self.params:
            p -= self.lr * p.grad


@mistake(
    STEP,
    zh="if p.grad: 问的是张量的真假，不止一个数时没有答案；一个数时，0 又算假。要问的是 p.grad is not None。",
    en="`if p.grad:` asks whether a tensor is true, which has no answer for more than one number, and for a single number counts 0 as false. Ask `p.grad is not None`.",
)
def asks_whether_it_is_true(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad:
                p -= self.lr * p.grad


@mistake(
    STEP,
    zh="no_grad 后面少了括号：with 要的是一个对象，no_grad() 才造出来。",
    en="The brackets are missing after no_grad: `with` needs an object, and no_grad() makes one.",
)
def enters_the_class(self: Any) -> None:
    block: Any = no_grad
    with block:
        for p in self.params:
            if p.grad is not None:
                p -= self.lr * p.grad
