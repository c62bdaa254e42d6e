"""Hints of lesson 07."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.accumulate.accumulate": (
        (
            "叶子手里的 .grad 只有两种情形：还没有，或者已经有了。各该怎么办？",
            "A leaf's .grad is in one of two states: not there yet, or there already. What should happen in each?",
        ),
        (
            "还没有：用 from_array 给数组套上张量；别人可能也拿着这个数组（shared 为真）时，先 copy()。已经有了：往同一个张量里加。",
            "Not there yet: from_array puts a tensor around the array; if somebody else may hold that array (shared is true), "
            "copy() it first. There already: add into the very same tensor.",
        ),
        (
            "held = variable._grad。held 是 None：variable._grad = from_array(…)，shared 为真就放 grad.copy()，否则放 grad。不是 None：held.add_array_(grad)，不要再赋值给它。",
            "held = variable._grad. If held is None: variable._grad = from_array(grad.copy() if shared, else grad). "
            "Otherwise: held.add_array_(grad), and no assignment.",
        ),
    ),
    "minigrad.autograd.accumulate.accumulate_graph": (
        (
            "旧的梯度也许已经是别的图里保存的值。原地改它，谁会受影响？",
            "The old gradient may be a value that another graph has saved. If you write over it, who is affected?",
        ),
        (
            "所以不用原地的加法，而用普通的 +：它造出一个新张量，还会被记录。第一次没有可加的，用带历史的复制 grad.copied()。",
            "So no in-place addition, but a plain +: it makes a new tensor and is recorded. The first time there is nothing to "
            "add to; take a copy with a history, grad.copied().",
        ),
        (
            "variable._grad 是 None 就设为 grad.copied()，否则设为 variable._grad + grad。",
            "Where variable._grad is None set it to grad.copied(), otherwise to variable._grad + grad.",
        ),
    ),
    "minigrad.optim.Optimizer.zero_grad": (
        (
            "对每个参数，p.grad 可能是 None，也可能是张量；set_to_none 又有两种。哪几种情形什么都不用做？",
            "For each parameter p.grad may be None or a tensor, and set_to_none may be true or false. In which of these cases is there nothing to do?",
        ),
        (
            "没有梯度的跳过（continue，不是 return）。set_to_none 为真：p.grad = None。否则要在原来的张量里写 0：用 zero_()，不是乘 0，也不是新张量。",
            "Skip those without a gradient (continue, not return). If set_to_none: p.grad = None. Otherwise zeros go into the tensor "
            "that is there: zero_(), not times 0 and not a new tensor.",
        ),
        (
            "写 0 之前：如果 p.grad.grad_fn 不是 None，先 p.grad.detach_()，去掉它的历史，再 p.grad.zero_()。",
            "Before the zeros: if p.grad.grad_fn is not None, p.grad.detach_() drops its history; then p.grad.zero_().",
        ),
    ),
}
