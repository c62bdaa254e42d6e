"""Hints of lesson 02."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.tensor.Tensor.grad_fn": (
        (
            "_edge 有三种样子，哪一种里面有节点？",
            "_edge comes in three kinds. In which of them is there a node?",
        ),
        (
            "算出来的张量，_edge 是 (节点, 编号)；不要梯度的，是 (None, 0)；要梯度的叶子，是 None。前两种的头一项正好都是答案。",
            "A computed tensor's _edge is (node, number); where no gradient is wanted, it is (None, 0); a leaf that wants one has None. "
            "For the first two kinds the first entry happens to be the answer.",
        ),
        (
            "_edge 是 None，就返回 None；否则返回 _edge[0]。",
            "Where _edge is None return None, otherwise _edge[0].",
        ),
    ),
    "minigrad.tensor.Tensor.is_leaf": (
        (
            "叶子不是“用户造的”，而是“没有历史的”。三种 _edge 里，哪几种没有历史？",
            'A leaf is not "what the user made", but "what has no history". Which of the three kinds of _edge have none?',
        ),
        (
            "None 和 (None, 0) 都没有节点，都是叶子。",
            "Neither None nor (None, 0) has a node: both are leaves.",
        ),
        (
            "返回：_edge 是 None，或者 _edge[0] 是 None。先问前一个，后一个才不会出错。",
            "Return whether _edge is None or _edge[0] is None; test the first one first, or the second will raise.",
        ),
    ),
    "minigrad.autograd.accumulate.gradient_edge": (
        (
            "三种张量的梯度各往哪里去？其中两种，_edge 里已经写着答案。",
            "Where do the gradients of the three kinds of tensors go? For two of them _edge has the answer already.",
        ),
        (
            "只剩要梯度的叶子（_edge 是 None）要动手：它的梯度去它唯一的 AccumulateGrad。tensor._accumulator 是 None，或者是弱引用：调用它就得到节点，节点已经没了就得到 None。",
            "Only a leaf that wants a gradient (its _edge is None) needs work: its gradient goes to its one AccumulateGrad. tensor._accumulator is None, "
            "or a weak reference: call it, and you get the node, or None if the node is gone.",
        ),
        (
            "_edge 不是 None 就返回它。否则取出旧的节点；没有的话，node = AccumulateGrad(tensor)，再 tensor._accumulator = weakref.ref(node)。最后返回 (node, 0)。",
            "If _edge is not None, return it. Otherwise fetch the old node; if there is none, node = AccumulateGrad(tensor) and tensor._accumulator = weakref.ref(node). "
            "Return (node, 0).",
        ),
    ),
}
