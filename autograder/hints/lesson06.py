"""Hints of lesson 06."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.roots.root_gradient": (
        (
            "什么也没给的时候，哪些输出可以从 1 出发？给了的时候，要核对什么？",
            "With nothing given, which outputs may start with 1? And with something given, what has to be checked?",
        ),
        (
            "两种情形分开写。没给：output.numel() 是 1 才行。给了：given.shape 要等于 output.shape。都通过，就返回出发的梯度。",
            "Treat the two cases separately. Nothing given: output.numel() has to be 1. Something given: given.shape has to equal output.shape. If all is well, return the gradient to start with.",
        ),
        (
            "if given is None：numel() 不是 1 就 raise RuntimeError(ONLY_SCALARS)，否则返回 ones_for(output)。"
            "given.shape 与 output.shape 不同，就 raise RuntimeError(mismatch(output, given, index))；相同就返回 given。",
            "if given is None: raise RuntimeError(ONLY_SCALARS) unless numel() is 1, else return ones_for(output). "
            "Where given.shape and output.shape differ, raise RuntimeError(mismatch(output, given, index)); else return given.",
        ),
    ),
    "minigrad.autograd.functional.jacobian_rows": (
        (
            "一次 backward 算的是 vᵀJ。v 取什么，结果恰好是 J 的第一行？",
            "One backward computes vᵀJ. For which v is the result exactly the first row of J?",
        ),
        (
            "对 output 的每个元素做一遍：造一份全 0 的权重，把这个元素的改成 1，形状和 output 一样，交给 grad。图还要再用，别让它释放。",
            "Once for each element of output: make weights of all zeros, set this element's to 1, in the shape of output, and give them to grad. The graph is needed again, so don't let it be freed.",
        ),
        (
            "循环 number in range(output.numel())：weights = zeros_like(output).reshape(-1)，weights[number] = 1.0，再 reshape(output.shape)。"
            "把 grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True) 的结果放进列表，最后返回列表。",
            "Loop over number in range(output.numel()): weights = zeros_like(output).reshape(-1), weights[number] = 1.0, then reshape(output.shape). "
            "Append what grad(output, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True) gives to a list, and return the list.",
        ),
    ),
}
