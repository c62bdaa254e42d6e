"""More known mistakes of lesson 02: a node that is there and is not given back, branches the wrong way round."""

from __future__ import annotations

import weakref
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson02 import EDGE
from minigrad.autograd.accumulate import AccumulateGrad


@mistake(
    EDGE,
    zh="节点已经在的时候，你什么也没返回：return node, 0 缩进到 if 里面去了。往左挪，新的旧的都从那里返回。",
    en="Where the node is there already, you return nothing: return node, 0 is indented into the if. Move it to the left, so that a new node and an old one are both returned by it.",
)
def returns_only_new_nodes(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
        return node, 0


@mistake(
    EDGE,
    zh="node := … is not None 记住的是比较的结果 True，不是节点。给 := 加上括号：(node := tensor._accumulator()) is not None。",
    en="node := … is not None remembers what the comparison gives, True, not the node. Put := in brackets: (node := tensor._accumulator()) is not None.",
)
def remembers_the_comparison(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node: Any
    if tensor._accumulator is not None and (node := tensor._accumulator() is not None):
        return node, 0
    node = AccumulateGrad(tensor)
    tensor._accumulator = weakref.ref(node)
    return node, 0


@mistake(
    EDGE,
    zh="要梯度的叶子，从你这里得到的是 None。要么条件反了（tensor._edge 不是 None，答案才在里面），要么造好节点以后，少了最后一行 return node, 0。",
    en="A leaf that wants a gradient gets None from you. Either the condition is the wrong way round (the answer is in tensor._edge where that is not None), or the last line, return node, 0, is missing once the node is made.",
)
def looks_in_the_wrong_kind(tensor: Any) -> Any:
    if tensor._edge is None:
        return tensor._edge
    return AccumulateGrad(tensor), 0


@mistake(
    EDGE,
    zh="AccumulateGrad 后面少了 (tensor)：你记住的是这个类，不是为这个叶子造的节点。",
    en="(tensor) is missing after AccumulateGrad: what you keep is the class, not a node made for this leaf.",
)
def keeps_the_class(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad
        tensor._accumulator = weakref.ref(node)
    return node, 0


@mistake(
    EDGE,
    zh="存的是节点本身，不是弱引用，下一次调用它，就成了调用节点。存 weakref.ref(node)，调用引用才得到节点。",
    en="You stored the node itself, not a weak reference, so that calling it the next time calls the node. Store weakref.ref(node): calling that gives the node.",
)
def calls_the_node(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = node
    return node, 0
