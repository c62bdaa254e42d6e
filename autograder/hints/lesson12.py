"""Hints of lesson 12."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.function.FunctionCtx.save_for_backward": (
        (
            "参数写作 *tensors，它在函数里是什么类型？其中哪些东西应当被拒绝？",
            "The parameter is written *tensors; what type does it have inside the function? And which of its items should be refused?",
        ),
        (
            "用 enumerate 走一遍：既不是 None 又不是 Tensor 的，raise TypeError，说出位置和类型名。然后原样记下来，不要 clone，也不要 detach。",
            "Go through them with enumerate: what is neither None nor a Tensor raises a TypeError that names its place and the name of its "
            "type. Then note them as they are, without clone or detach.",
        ),
        (
            "最后一行是 self.to_save = tensors。类型名是 type(tensor).__name__，判断用 isinstance(tensor, Tensor)。",
            "The last line is self.to_save = tensors. The name of the type is type(tensor).__name__; the test is isinstance(tensor, Tensor).",
        ),
    ),
    "minigrad.custom.Softplus.forward": (
        (
            "x 是 1000 时，哪一步溢出？x 是 -40 时，1 + eˣ 还剩几位？",
            "At x = 1000, which step overflows? At x = -40, how many digits of eˣ are left in 1 + eˣ?",
        ),
        (
            "ln(1 + eˣ) = max(x, 0) + ln(1 + e^-|x|)。第一项用 clamp(min=0)，第二项用 exp 和 log1p。",
            "ln(1 + eˣ) = max(x, 0) + ln(1 + e^-|x|). Use clamp(min=0) for the first term, exp and log1p for the second.",
        ),
        (
            "先 ctx.save_for_backward(x)，再返回 x.clamp(min=0) + (-x.abs()).exp().log1p()。",
            "First ctx.save_for_backward(x), then return x.clamp(min=0) + (-x.abs()).exp().log1p().",
        ),
    ),
    "minigrad.custom.Softplus.backward": (
        (
            "softplus 在最左边像什么、最右边像什么？那么斜率从几变到几？",
            "What is softplus like on the far left, and on the far right? So from what to what does its slope go?",
        ),
        (
            "斜率是 1 / (1 + e^-x)，张量有现成的方法 sigmoid()。前向保存的 x 从 ctx.saved_tensors 里取，它是一个元组。",
            "The slope is 1 / (1 + e^-x), for which tensors have the method sigmoid(). The x that forward saved is in ctx.saved_tensors, a tuple.",
        ),
        (
            "(x,) = ctx.saved_tensors，然后返回 grad 乘以 x.sigmoid()。",
            "(x,) = ctx.saved_tensors, then return grad times x.sigmoid().",
        ),
    ),
    "minigrad.autograd.gradcheck.central_difference": (
        (
            "fn 要在哪两个地方求值？这两个地方相距多远？",
            "At which two places is fn evaluated? How far apart are they?",
        ),
        (
            "两处是 x 加、减 eps * direction。移动 x 用 x.data.copy_(...)，先记下原来的值，最后一定放回去（try … finally）。"
            "fn 的值用 detach().clone() 取下来。",
            "They are x plus and minus eps * direction. Move x with x.data.copy_(...), note the old values first, and put them back in any "
            "case (try … finally). Take the value of fn with detach().clone().",
        ),
        (
            "here = x.detach().clone()；x.data.copy_(here + eps * direction)，求 ahead；再移到 here - eps * direction，求 behind；"
            "放回 here；返回 (ahead - behind) / (2 * eps)。",
            "here = x.detach().clone(); x.data.copy_(here + eps * direction) and evaluate ahead; move to here - eps * direction and "
            "evaluate behind; put here back; return (ahead - behind) / (2 * eps).",
        ),
    ),
}
