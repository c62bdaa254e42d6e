"""Hints of lesson 11."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.ops.pointwise.sin_vjp": (
        (
            "sin 在哪里最陡、在哪里是平的？哪个函数正好在那里是 1 和 0？",
            "Where is sin steepest, and where is it flat? Which function is 1 and 0 just there?",
        ),
        (
            "规则等于 grad 乘局部导数。局部导数要用 rules 里的函数来算，这样数组和张量都行。",
            "A rule is grad times the local derivative. Compute the latter with a function of rules, so that both arrays and tensors work.",
        ),
        ("grad 乘以 rules.cos(self)。", "grad times rules.cos(self)."),
    ),
    "minigrad.ops.pointwise.cos_vjp": (
        (
            "cos 从 0 往右走，是上坡还是下坡？",
            "From 0 to the right, does cos go up or down?",
        ),
        (
            "局部导数是 sin 加一个负号。别用 np：create_graph 时 self 是张量。",
            "The local derivative is sin with a minus. Not np: under create_graph, self is a tensor.",
        ),
        ("grad 乘以 -rules.sin(self)。", "grad times -rules.sin(self)."),
    ),
    "minigrad.curvature.hessian_product": (
        (
            "H 是斜率的导数。要对斜率求导，求斜率的那一步必须留下什么？",
            "H is the derivative of the slope. To differentiate the slope, what must the first derivative leave behind?",
        ),
        (
            "先造一个自己的叶子：x.detach().requires_grad_()。第一次 grad 用 create_graph=True 得到 slope；"
            "第二次对 slope 求导，用第三个参数 grad_outputs 指明方向。",
            "Make a leaf of your own first: x.detach().requires_grad_(). The first grad, with create_graph=True, gives slope; the "
            "second differentiates slope, and its third argument, grad_outputs, names the direction.",
        ),
        (
            "第二次是 grad(slope, x, v)，返回一个元组，取它的第一个。它不用再 create_graph。",
            "The second is grad(slope, x, v), which returns a tuple; take its first. It needs no create_graph.",
        ),
    ),
    "minigrad.curvature.newton_step": (
        (
            "H 的第 i 行等于 H 乘哪个向量？（H 对称，行列一样。）",
            "Row i of H is H times which vector? (H is symmetric, so its rows are its columns.)",
        ),
        (
            "eye(len(x), dtype=x.dtype) 的每一行是一个单位向量；hessian_product 对每一行求一次，stack 起来就是 H。斜率另外用 grad 求。",
            "Each row of eye(len(x), dtype=x.dtype) is a unit vector; apply hessian_product to each, stack the results, and you have H. "
            "The slope comes from grad.",
        ),
        (
            "新的位置是 x.detach() - solve(stack(rows), slope)。",
            "The new place is x.detach() - solve(stack(rows), slope).",
        ),
    ),
}
