"""Known mistakes of lesson 10, continued: conditions the wrong way round, an object taken for a state, a detached copy of
a leaf."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson10 import CHECK_VERSION, NO_GRAD, STEP
from minigrad.autograd.grad_mode import Decorating, no_grad, set_grad_enabled, set_recording
from minigrad.autograd.graph import modified_message

# ── no_grad ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    NO_GRAD,
    zh="出来时你设成了进来前的反面：原来开着，就关上。去掉 not：set_recording(self.prev)。",
    en="On leaving you set the opposite of what was there before: where recording was on, it goes off. Drop the not: set_recording(self.prev).",
)
class RestoresTheOpposite(Decorating):
    def __enter__(self) -> None:
        self.prev = set_recording(False)

    def __exit__(self, *exception: object) -> None:
        set_recording(not self.prev)


@mistake(
    NO_GRAD,
    zh="set_grad_enabled(False) 返回的是一个对象，不是原来的状态。用 set_recording(False)，它返回原来是开是关。",
    en="set_grad_enabled(False) returns an object, not the old state. Use set_recording(False), which returns whether recording was on.",
)
class KeepsAnObject(Decorating):
    def __enter__(self) -> None:
        self.prev: Any = set_grad_enabled(False)

    def __exit__(self, *exception: object) -> None:
        set_grad_enabled(self.prev)


# ── check_version ────────────────────────────────────────────────────────────────────────────────


@mistake(
    CHECK_VERSION,
    zh="条件写反了：== 在版本没变的时候报错，变了反而不报。要用 !=。",
    en="The condition is the wrong way round: == raises where the version is the same, and keeps silent where it changed. Use !=.",
)
def raises_where_they_are_equal(saved: Any, expected: int, source: str = "") -> None:
    if saved._version == expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


@mistake(
    CHECK_VERSION,
    zh="expected 可能是 0，而 0 在条件里算假，于是保存时版本是 0 的值全都放过了。只比较：saved._version != expected。",
    en="expected may be 0, which counts as false in a condition, so whatever was saved at version 0 gets through. Only compare: saved._version != expected.",
)
def takes_version_zero_for_false(saved: Any, expected: int, source: str = "") -> None:
    if expected and saved._version != expected:
        raise RuntimeError(modified_message(saved, saved._version, expected, source))


# ── SGD.step ─────────────────────────────────────────────────────────────────────────────────────


@mistake(
    STEP,
    zh="detach() 造了另一个张量，没有 .grad。不用 detach：在 no_grad 里直接改 p 自己。",
    en="detach() makes another tensor, which has no .grad. There is no need for it: under no_grad, change p itself.",
)
def asks_a_detached_one(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                p = p.detach()
                p -= self.lr * p.grad


@mistake(
    STEP,
    zh="条件反了：你跳过了有梯度的参数，更新的是没有梯度的。要跳过的是 p.grad is None 的。",
    en="The condition is the wrong way round: you skip the parameters that have a gradient and update those that have none. Skip where p.grad is None.",
)
def skips_those_with_a_gradient(self: Any) -> None:
    with no_grad():
        for p in self.params:
            if p.grad is not None:
                continue
            p -= self.lr * p.grad
