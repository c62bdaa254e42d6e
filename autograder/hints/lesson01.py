"""Hints of lesson 01."""

from __future__ import annotations

from autograder.hints import Stages

TENSOR = "minigrad.tensor.Tensor."

HINTS: dict[str, Stages] = {
    TENSOR + "item": (
        (
            "什么样的张量能变成一个数？看维数，还是看一共有几个元素？",
            "Which tensors can become one number? Is it the dimensions that decide, or how many elements there are in all?",
        ),
        (
            "self._data 是 NumPy 数组。self._data.size 是元素个数；数组自己的 .item() 给出 Python 的数，类型也对。",
            "self._data is a NumPy array. self._data.size is its number of elements; the array's own .item() gives a Python number of the right type.",
        ),
        (
            "size 不等于 1 就 raise RuntimeError，文字照 docstring 里的写；否则返回 self._data.item()。",
            "Where size is not 1, raise RuntimeError with the words of the docstring; otherwise return self._data.item().",
        ),
    ),
    TENSOR + "requires_grad_": (
        (
            "哪两种请求要拒绝？一种和数的类型有关，一种和张量的来历有关。",
            "Which two requests are to be refused? One has to do with the kind of numbers, the other with where the tensor comes from.",
        ),
        (
            "要打开（requires_grad 为真）时，看 self.is_floating_point()；要关掉时，看 self.is_leaf。两个条件，一个管打开，一个管关掉。",
            "When switching on (requires_grad is true), look at self.is_floating_point(); when switching off, at self.is_leaf. One condition for each.",
        ),
        (
            "两个 if，分别 raise RuntimeError(FLOAT_ONLY) 和 RuntimeError(LEAVES_ONLY)；都没拦下，就 self.want_gradient(requires_grad)，最后返回 self。",
            "Two ifs, which raise RuntimeError(FLOAT_ONLY) and RuntimeError(LEAVES_ONLY); if neither holds, self.want_gradient(requires_grad), and return self.",
        ),
    ),
    TENSOR + "detach": (
        (
            "新张量和原来的共用哪些东西，又丢掉哪一样？",
            "What does the new tensor share with the old one, and what does it leave behind?",
        ),
        (
            "共用存储和版本计数器，丢掉历史。from_array 的三个参数依次就是这三样。",
            "It shares the storage and the version counter, and leaves the history behind. These are the three arguments of from_array, in the order storage, history, counter.",
        ),
        (
            "存储是 self.storage()，没有历史的边是 NO_EDGE，计数器是 self.counter()：把它们交给 from_array，返回结果。",
            "The storage is self.storage(), an edge without history is NO_EDGE, the counter is self.counter(): give them to from_array and return what it makes.",
        ),
    ),
}
