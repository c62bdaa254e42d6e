"""Known mistakes of lesson 02: leaves that are none, nodes for those who have none, edges that lead astray."""

from __future__ import annotations

import weakref
from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.accumulate import AccumulateGrad
from minigrad.autograd.graph import NO_EDGE

IS_LEAF, GRAD_FN = "minigrad.tensor.Tensor.is_leaf", "minigrad.tensor.Tensor.grad_fn"
EDGE = "minigrad.autograd.accumulate.gradient_edge"

# ── is_leaf ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    IS_LEAF,
    zh="你只认“要梯度的叶子”。不要梯度的张量也是叶子，不管是不是算出来的：没有记录，就没有历史。",
    en="You count only leaves that want a gradient. A tensor that wants none is a leaf too, computed or not: unrecorded, it has no history.",
)
def only_with_gradient(self: Any) -> bool:
    return self._edge is None


@mistake(
    IS_LEAF,
    zh="你把“不要梯度”当成了“叶子”。用户造的、要梯度的张量恰恰是最典型的叶子。",
    en='You took "wants no gradient" for "is a leaf". A tensor that the user made and that wants a gradient is the very model of a leaf.',
)
def only_without_gradient(self: Any) -> bool:
    return self._edge is NO_EDGE


@mistake(
    IS_LEAF,
    zh="正好反了：有 grad_fn 的是算出来的，没有的才是叶子。",
    en="The wrong way round: what has a grad_fn was computed, what has none is a leaf.",
)
def the_wrong_way_round(self: Any) -> bool:
    return self._edge is not None and self._edge[0] is not None


@mistake(
    IS_LEAF,
    zh="requires_grad 回答的是另一个问题：要不要梯度。算出来的张量也要，却不是叶子。",
    en="requires_grad answers another question: is a gradient wanted. Computed tensors want one too, and are no leaves.",
)
def confuses_it_with_requires_grad(self: Any) -> bool:
    return self._edge is not NO_EDGE


@mistake(
    IS_LEAF,
    zh="_edge 可能是 None，也可能是 (None, 0)，两种都是叶子。只看了一种，另一种就报错或答错。",
    en="_edge may be None, or (None, 0), and both are leaves. If you look at only one kind, the other raises or comes out wrong.",
)
def stumbles_over_none(self: Any) -> bool:
    return self._edge[0] is None


@mistake(
    IS_LEAF,
    zh="你看的是编号，不是节点。编号 0 是第一个输出，算出来的张量多半也是 0；该看的是节点有没有：_edge[0]。",
    en="You go by the number, not by the node. 0 means the first output, which most computed tensors are as well; ask whether there is a node: _edge[0].",
)
def goes_by_the_number(self: Any) -> bool:
    return self._edge is None or self._edge[1] == 0


@mistake(
    IS_LEAF,
    zh="self.is_leaf 就是你正在写的这一个，它问自己，没完没了。答案在 self._edge 里。",
    en="self.is_leaf is the very one you are writing, which asks itself without end. The answer is in self._edge.",
)
def asks_itself_again(self: Any) -> bool:
    return bool(self.is_leaf)


# ── grad_fn ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    GRAD_FN,
    zh="你返回了整条边 (节点, 编号)。grad_fn 只是其中的节点。",
    en="You return the whole edge, (node, number). grad_fn is only the node in it.",
)
def the_whole_edge(self: Any) -> Any:
    return self._edge if self._edge is not None and self._edge[0] is not None else None


@mistake(
    GRAD_FN,
    zh="要梯度的叶子，_edge 是 None，取 [0] 就会出错。叶子的 grad_fn 是 None，要先分出这种情形。",
    en="A leaf that wants a gradient has None for its _edge, and taking its [0] raises. A leaf's grad_fn is None: deal with this case first.",
)
def stumbles_over_leaves(self: Any) -> Any:
    return self._edge[0]


@mistake(
    GRAD_FN,
    zh="你给叶子也配了一个 grad_fn。叶子没有历史，grad_fn 是 None；收梯度的 AccumulateGrad 要顺着别人的 next_functions 才看得到。",
    en="You gave leaves a grad_fn, too. A leaf has no history, and its grad_fn is None; its AccumulateGrad is seen only along the next_functions of others.",
)
def a_node_for_leaves(self: Any) -> Any:
    if self._edge is None:
        node = AccumulateGrad(self)
        return node
    return self._edge[0]


@mistake(
    GRAD_FN,
    zh="返回的是节点的名字。grad_fn 是节点本身，要名字再调用 .name()。",
    en="You return the node's name. grad_fn is the node itself; to get its name, one calls .name().",
)
def only_its_name(self: Any) -> Any:
    return None if self._edge is None or self._edge[0] is None else self._edge[0].name()


@mistake(
    GRAD_FN,
    zh="你返回的是编号。_edge 是 (节点, 编号)，节点在第 0 个位置。",
    en="You return the number. _edge is (node, number), and the node is at position 0.",
)
def only_its_number(self: Any) -> Any:
    return None if self._edge is None else self._edge[1]


@mistake(
    GRAD_FN,
    zh="要梯度的叶子，_edge 是 None，拆不成 (节点, 编号) 两个。先看它是不是 None。",
    en="A leaf that wants a gradient has None for its _edge, which cannot be unpacked into (node, number). Check for None first.",
)
def unpacks_none(self: Any) -> Any:
    node, _ = self._edge
    return node


@mistake(
    GRAD_FN,
    zh="叶子得到的是 False，不是 None：a and b 在 a 不成立时给出 a 本身。写 None if self._edge is None else self._edge[0]。",
    en="Leaves get False, not None: where a is false, a and b gives a itself. Write None if self._edge is None else self._edge[0].",
)
def false_for_leaves(self: Any) -> Any:
    return self._edge is not None and self._edge[0]


@mistake(
    GRAD_FN,
    zh="self.grad_fn 就是你正在写的这一个，它问自己，没完没了。节点在 self._edge 里。",
    en="self.grad_fn is the very one you are writing, which asks itself without end. The node is in self._edge.",
)
def asks_itself_for_the_node(self: Any) -> Any:
    return self.grad_fn


# ── gradient_edge ────────────────────────────────────────────────────────────────────────────────


@mistake(
    EDGE,
    zh="每次都新造一个 AccumulateGrad。一个叶子只有一个：先看 tensor._accumulator 里还在不在；新造的要记进去，而且要在 return 之前。",
    en="A new AccumulateGrad is made every time. A leaf has just one: look first whether the one in tensor._accumulator is still there, and store a new one in it before you return.",
)
def a_new_one_every_time(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    return AccumulateGrad(tensor), 0


@mistake(
    EDGE,
    zh="编号丢了，一律写成 0。有几个输出的运算（unbind、max）就会把梯度交错地方；算出来的张量，_edge 里已经有编号。",
    en="The number is lost: you always write 0. Operations with several outputs (unbind, max) then get gradients in the wrong place; a computed tensor's _edge has the number already.",
)
def always_number_zero(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge[0], 0
    return _collector(tensor), 0


@mistake(
    EDGE,
    zh="不要梯度的张量也配上了 AccumulateGrad，数据里于是出现了 .grad。它们的边是 (None, 0)，已经写在 _edge 里。",
    en="Tensors that want no gradient got an AccumulateGrad as well, and .grad appears on data. Their edge is (None, 0), as _edge says.",
)
def collects_for_data_too(tensor: Any) -> Any:
    if tensor._edge is not None and tensor._edge[0] is not None:
        return tensor._edge
    if not hasattr(tensor, "_accumulator"):
        tensor._accumulator = tensor._hooks = None
    return _collector(tensor), 0


@mistake(
    EDGE,
    zh="叶子的边通向空处，梯度到不了 .grad。要梯度的叶子，边通向它的 AccumulateGrad。刚造好的节点若只有弱引用记着，当场就没了：先给它一个名字，再返回它。",
    en="A leaf's edge leads nowhere, and no gradient gets to .grad. For a leaf that wants one, the edge leads to its AccumulateGrad. If yours did and only a weak reference holds the new node, it is gone at once: give it a name first, then return it.",
)
def nothing_for_leaves(tensor: Any) -> Any:
    return tensor._edge if tensor._edge is not None else NO_EDGE


@mistake(
    EDGE,
    zh="tensor._accumulator 是弱引用：图没了，它指的 AccumulateGrad 也没了，调用它得到 None。那时要再造一个。",
    en="tensor._accumulator is a weak reference: with the graph, its AccumulateGrad goes too, and calling it gives None. Then a new one has to be made.",
)
def forgets_that_it_may_be_gone(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    if tensor._accumulator is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
        return node, 0
    return tensor._accumulator(), 0


def _collector(tensor: Any) -> Any:
    """The right way, for mistakes that are made elsewhere."""
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node


@mistake(
    EDGE,
    zh="节点本身被抓住不放了，不管是存在 tensor._accumulator 里，还是存在你自己的字典里。节点记着叶子，叶子又抓着节点，名字都没了，两个也不能马上释放；存在字典里，就永远走不了。存 weakref.ref(node)。",
    en="You hold on to the node itself, in tensor._accumulator or in a dict of your own. The node holds its leaf and the leaf the node, so that neither is freed at once when the last name is gone; from a dict they never go. Keep weakref.ref(node).",
)
def holds_it_fast(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    if tensor._accumulator is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = _Fast(node)
    return tensor._accumulator(), 0


class _Fast:
    """What is called like a weak reference, and lets nothing go."""

    def __init__(self, node: Any):
        self.node = node

    def __call__(self) -> Any:
        return self.node


@mistake(
    EDGE,
    zh="你把弱引用当成了节点。tensor._accumulator 要调用一下才给出节点：tensor._accumulator()，节点没了就给 None。",
    en="You took the weak reference for the node. Call it to get the node: tensor._accumulator(), which gives None once the node is gone.",
)
def takes_the_reference(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0


@mistake(
    EDGE,
    zh="叶子那一支只返回了节点。边是一对：return node, 0。",
    en="For a leaf you return only the node. An edge is a pair: return node, 0.",
)
def only_the_node(tensor: Any) -> Any:
    return tensor._edge if tensor._edge is not None else _collector(tensor)


@mistake(
    EDGE,
    zh="一对里的次序反了：先节点，后编号。",
    en="The pair is the wrong way round: first the node, then the number.",
)
def number_before_node(tensor: Any) -> Any:
    return tensor._edge if tensor._edge is not None else (0, _collector(tensor))


@mistake(
    EDGE,
    zh="叶子的编号是 0：AccumulateGrad 只有一个口子，而编号从 0 数起。",
    en="A leaf's number is 0: an AccumulateGrad has just one slot, and numbers begin at 0.",
)
def counts_from_one(tensor: Any) -> Any:
    return tensor._edge if tensor._edge is not None else (_collector(tensor), 1)


@mistake(
    EDGE,
    zh="你把边写进了 tensor._edge。那里是张量自己的历史：写了节点，它就不再是叶子。AccumulateGrad 记在 tensor._accumulator 里。",
    en="You wrote the edge into tensor._edge. That is the tensor's own history: with a node in it, the tensor is no longer a leaf. The AccumulateGrad is noted in tensor._accumulator.",
)
def writes_into_the_history(tensor: Any) -> Any:
    if tensor._edge is None:
        tensor._edge = AccumulateGrad(tensor), 0
    return tensor._edge


@mistake(
    EDGE,
    zh="头一次，tensor._accumulator 还是 None，不能调用。先看它是不是 None，再调用它取节点。",
    en="The first time, tensor._accumulator is still None and cannot be called. Check for None first, then call it to get the node.",
)
def calls_before_there_is_one(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator()
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0


@mistake(
    EDGE,
    zh="弱引用指的是张量，不是节点：下一次取出来的就是叶子自己。写 weakref.ref(node)。",
    en="The weak reference is to the tensor, not to the node, so next time you get the leaf itself. Write weakref.ref(node).",
)
def remembers_the_leaf(tensor: Any) -> Any:
    if tensor._edge is not None:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(tensor)
    return node, 0


@mistake(
    EDGE,
    zh="你没有先看 tensor._edge。算出来的张量和数据，答案已经写在那里；只有 _edge 是 None 的叶子，才有 _accumulator 可问。",
    en="You did not look at tensor._edge first. For computed tensors and for data the answer stands there already; only a leaf, whose _edge is None, has an _accumulator to ask.",
)
def asks_everyone_for_it(tensor: Any) -> Any:
    return _collector(tensor), 0


@mistake(
    IS_LEAF,
    zh="要梯度的叶子，_edge 是 None，没法拆成两个。先问 self._edge is None，再看里面的节点。",
    en="A leaf that wants a gradient has None for its _edge, which cannot be unpacked. Ask for self._edge is None first, then look at the node in it.",
)
def unpacks_at_once(self: Any) -> bool:
    node, _ = self._edge
    return node is None


@mistake(
    EDGE,
    zh="你是按“是不是叶子”来分的，可不要梯度的数据也是叶子：它没有 AccumulateGrad，边就是 _edge 里的 (None, 0)。看 tensor._edge 是不是 None。",
    en="You go by whether it is a leaf (is_leaf, grad_fn or _edge[0]), but data that want no gradient are leaves as well: they have no AccumulateGrad, and their edge is the (None, 0) in _edge. Ask whether tensor._edge is None.",
)
def takes_data_for_collectors(tensor: Any) -> Any:
    if not tensor.is_leaf:
        return tensor._edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node, 0
