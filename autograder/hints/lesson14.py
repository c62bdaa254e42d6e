"""Hints of lesson 14."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.backend.array_module": (
        (
            "手里只有一个数组，怎么看出它住在哪儿？它的类型是谁家的？",
            "All you have is an array. How can you tell where it lives? Whose type is it?",
        ),
        (
            "NumPy 家的有两种：numpy.ndarray 和 numpy.generic。别的，先看 cupy() 是不是 None，再看是不是它的 ndarray；都不是就归 numpy。",
            "NumPy has two kinds: numpy.ndarray and numpy.generic. For others, see whether cupy() is None, then whether it is cupy's ndarray; "
            "if neither, it is numpy's.",
        ),
        (
            "module = cupy()；module 不是 None 并且 isinstance(array, module.ndarray) 就返回 module，否则返回 numpy。",
            "module = cupy(); if module is not None and isinstance(array, module.ndarray), return module, else numpy.",
        ),
    ),
    "minigrad.ops.convert.move_vjp": (
        (
            "传输改变了数吗？那么斜率是多少？梯度到的时候在哪一边，叶子又在哪一边？",
            "Does a transfer change the numbers? Then what is the slope? On which side is the gradient when it arrives, and on which is the leaf?",
        ),
        (
            "数不变，梯度也不变，只要传回它的张量出发的地方，也就是 home。",
            "The numbers stay, so the gradient does too; it only has to go back to where its tensor set out, which is home.",
        ),
        (
            "return moved(grad, home)：数组和带历史的张量，moved 都会传。",
            "return moved(grad, home): moved can move both arrays and tensors with a history.",
        ),
    ),
    "minigrad.timing.best_seconds": (
        (
            "action() 返回的时候，活干完了吗？钟该在什么时候看？",
            "When action() returns, is the work done? When should the clock be read?",
        ),
        (
            "先预热一次并等它做完；然后重复：看钟、做、等、再看钟。留下最小的差。",
            "Warm up once, and wait until it is done; then repeat: read the clock, act, wait, read it again. Keep the smallest difference.",
        ),
        (
            "循环里是 start = clock()、action()、wait()、times.append(clock() - start) 四行，最后返回 min(times)。",
            "Inside the loop four lines: start = clock(), action(), wait(), times.append(clock() - start); then return min(times).",
        ),
    ),
    "minigrad.timing.crossover": (
        (
            "从最大的往小看，还是从最小的往大看，更容易知道“往后每一个都赢”？",
            "From which end is it easier to know that every larger size wins as well, from the largest or from the smallest?",
        ),
        (
            "从最大的开始往回走，赢一个记一个，遇到第一个没赢的就停。",
            "Start at the largest and walk back; note each one that wins, and stop at the first that does not.",
        ),
        (
            "found = None；倒着遍历 sizes、here、there，there 不小于 here 就 break，否则 found = size；返回 found。",
            "found = None; go through sizes, here and there in reverse, break where there is not less than here, else found = size; return found.",
        ),
    ),
}
