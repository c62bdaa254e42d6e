"""Hints of lesson 10."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.grad_mode.no_grad": (
        (
            "with 语句进入时调用哪个方法，离开时调用哪个？块里出了错，后一个还会被调用吗？",
            "Which method does a with statement call on entering, and which on leaving? Is the latter called after an error, too?",
        ),
        (
            "进入时：记下现在是否在记录，再关掉。离开时：恢复记下的那个状态，而不是一律打开。"
            "no_grad 会一层套一层，所以每个对象各记各的。",
            "On entering: note whether recording is on, then switch it off. On leaving: restore what you noted, instead of always "
            "switching on. no_grad blocks nest, so every object keeps its own memory.",
        ),
        (
            "set_recording(False) 关掉记录，并返回之前的状态。在 __enter__ 里把它记作 self.prev，"
            "在 __exit__ 里交还给 set_recording。",
            "set_recording(False) switches recording off and returns what it was. Keep that as self.prev in __enter__; "
            "in __exit__ hand it back to set_recording.",
        ),
    ),
    "minigrad.autograd.graph.check_version": (
        (
            "张量每被原地写一次，它的版本号就加 1。怎样才能知道它在保存之后有没有被写过？",
            "Every write in place adds 1 to a tensor's version. How can you tell whether it was written after it was saved?",
        ),
        (
            "比较两个数：保存时的版本 expected，和现在的版本 saved._version。",
            "Compare two numbers: expected, the version at saving, and saved._version, the version now.",
        ),
        (
            "两者不等，就 raise RuntimeError，文字由 modified_message(saved, saved._version, expected, source) 给出；相等就什么也不做。",
            "If they differ, raise RuntimeError with the words of modified_message(saved, saved._version, expected, source); "
            "if not, do nothing.",
        ),
    ),
    "minigrad.optim.SGD.step": (
        (
            "w = w - lr * w.grad 之后，名字 w 指着谁？原来那个叶子又在哪里？",
            "After w = w - lr * w.grad, what does the name w point at? And where is the leaf it used to be?",
        ),
        (
            "要让原来的张量自己变，而不是造一个新的：用原地运算 -=。叶子不许在记录时被原地改写，所以要放进 no_grad。",
            "The tensor itself has to change, not a new one take its name: use the in-place -=. "
            "A leaf must not be overwritten while operations are recorded, so do it under no_grad.",
        ),
        (
            "with no_grad(): 里遍历 self.params；grad 是 None 的跳过，其余的 p -= self.lr * p.grad。",
            "Inside `with no_grad():` go through self.params; skip those whose grad is None, and for the others p -= self.lr * p.grad.",
        ),
    ),
}
