"""Known mistakes of lesson 01: numbers that are none, gradients for integers, copies that should be shared."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import FLOAT_ONLY, LEAVES_ONLY, from_array

TENSOR = "minigrad.tensor.Tensor."
ITEM, REQUIRES_GRAD, DETACH = TENSOR + "item", TENSOR + "requires_grad_", TENSOR + "detach"


def _refuse(self: Any) -> None:
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")


# ── item ─────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    ITEM,
    zh="张量里不止一个数时，你悄悄取了第一个。torch 会拒绝：哪一个都不该由它替你选。",
    en="Of several numbers you quietly took the first. torch refuses: choosing one for you is not its place.",
)
def takes_the_first(self: Any) -> Any:
    return self._data.reshape(-1)[0].item()


@mistake(
    ITEM,
    zh="数值对了，可是一律变成了 float：整数张量该给 int，布尔张量该给 bool。",
    en="The value is right, but everything becomes a float: integer tensors give an int, bool tensors a bool.",
)
def always_a_float(self: Any) -> Any:
    _refuse(self)
    return float(self._data.item())


@mistake(
    ITEM,
    zh="你返回的是 NumPy 的数，不是 Python 的数。它看起来一样，类型却不同：数组的 .item() 能换成 Python 的数。",
    en="What comes back is NumPy's number, not Python's. It looks the same, but its type differs: the array's .item() gives Python's.",
)
def a_numpy_number(self: Any) -> Any:
    _refuse(self)
    return self._data.reshape(-1)[0]


@mistake(
    ITEM,
    zh="你返回的还是张量，接下去的运算又会被记录。item 要给的是一个普通的 Python 数。",
    en="You return a tensor, and whatever is computed with it is recorded again. item gives a plain Python number.",
)
def still_a_tensor(self: Any) -> Any:
    _refuse(self)
    return self


@mistake(
    ITEM,
    zh="空张量也被放过了，报出来的是 NumPy 的错。条件应当是“元素个数不等于 1”。",
    en="An empty tensor slips through, and the error you see is NumPy's. The condition is: the number of elements is not 1.",
)
def only_too_many(self: Any) -> Any:
    if self._data.size > 1:
        _refuse(self)
    return self._data.item()


@mistake(
    ITEM,
    zh="你看的是维数，不是元素个数：形状 (1,) 或 (1, 1, 1) 的张量也只有一个数，item 应当接受。",
    en="You look at the dimensions, not at the number of elements: a tensor of shape (1,) or (1, 1, 1) holds one number too, and item takes it.",
)
def only_without_dimensions(self: Any) -> Any:
    if self._data.ndim:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()


# ── requires_grad_ ───────────────────────────────────────────────────────────────────────────────


@mistake(
    REQUIRES_GRAD,
    zh="开关拨对了，但没有返回张量自己，x = tensor(…).requires_grad_() 就得到 None。",
    en="The switch is thrown, but the tensor is not returned, and x = tensor(…).requires_grad_() is None.",
)
def returns_nothing(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)


@mistake(
    REQUIRES_GRAD,
    zh="你让整数也能要梯度了。整数不能只动一点点，斜率无从谈起；torch 报 RuntimeError。要是你问过了，看看括号：self.is_floating_point 不带括号总是真，要写 self.is_floating_point()。",
    en="You let integers ask for a gradient. An integer can't be nudged a little, so there is no slope; torch raises a RuntimeError. If you did ask, look at the brackets: self.is_floating_point without them always counts as true; write self.is_floating_point().",
)
def lets_integers_in(self: Any, requires_grad: bool = True) -> Any:
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="参数 requires_grad 没有用上：不管传什么，都是打开。",
    en="The argument requires_grad is not used: whatever is passed, it switches on.",
)
def always_on(self: Any, requires_grad: bool = True) -> Any:
    if not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    self.want_gradient(True)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="算出来的张量也给关掉了，它的历史就此断掉。要断开请用 detach；torch 在这里报错。",
    en="You let a computed tensor be switched off, and its history is lost. Cutting is detach's job; torch raises here.",
)
def cuts_computed_tensors(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="凡不是叶子就拒绝，太严了：对算出来的张量说“要梯度”没有坏处，它本来就要；只有关掉才不行。给 self.requires_grad 赋值也会这样报错：用 self.want_gradient(requires_grad)。",
    en="Refusing everything that isn't a leaf is too strict: a computed tensor told to want a gradient already does. Only switching off is refused. Assigning to self.requires_grad refuses in the same way: use self.want_gradient(requires_grad).",
)
def refuses_all_computed(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="整数张量连关掉都不让了。只有要打开的时候，才需要看是不是浮点数。",
    en="Integer tensors can't even be switched off now. The dtype matters only when a gradient is asked for.",
)
def refuses_integers_always(self: Any, requires_grad: bool = True) -> Any:
    if not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="你返回了一个新张量，原来那个没有变。名字末尾的下划线说的就是：改的是自己。",
    en="You return a new tensor and leave the old one as it was. The underscore at the end of the name says: this changes the tensor itself.",
)
def returns_another(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    other = from_array(self.storage(), NO_EDGE, self.counter())
    other.want_gradient(requires_grad)
    return other


@mistake(
    TENSOR + "requires_grad_",
    zh="给属性赋值，走的是属性自己的规矩，错误信息也不一样。自己判断哪两种要拒绝，再用 self.want_gradient(requires_grad) 记下来。",
    en="Setting the attribute follows the attribute's own rules, and its messages differ. Decide yourself which two cases to refuse, then note it with self.want_gradient(requires_grad).",
)
def sets_the_attribute(self: Any, requires_grad: bool = True) -> Any:
    self.requires_grad = requires_grad
    return self


# ── detach ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    DETACH,
    zh="没有历史，对；可是你复制了一份。detach 与原张量共用存储，在这边写，那边就变。",
    en="No history, right; but this is a copy. detach shares the storage: what is written here is read there.",
)
def copies(self: Any) -> Any:
    return from_array(self.storage().copy(), NO_EDGE)


@mistake(
    DETACH,
    zh="存储共用了，版本计数器却是新的，写入就没有人看得见。那是 .data 的做法；detach 连计数器也共用。",
    en="The storage is shared, but the version counter is a new one, and writes go unseen. That is what .data does; detach shares the counter too.",
)
def counts_by_itself(self: Any) -> Any:
    return from_array(self.storage())


@mistake(
    DETACH,
    zh="历史还在：你把原张量的边（_edge）也带过来了，梯度照样流过去。该用 NO_EDGE。",
    en="The history is still there: the edge (_edge) came along, and gradients flow through it. NO_EDGE is what belongs here.",
)
def keeps_the_edge(self: Any) -> Any:
    return from_array(self.storage(), self._edge if self.grad_fn is not None else NO_EDGE, self.counter())


@mistake(
    DETACH,
    zh="你把原张量自己的历史也抹掉了。detach 要造一个新的，原来的不动（会改自己的那个叫 detach_）。",
    en="The original lost its own history. detach makes a new tensor and leaves the old one alone (the one that changes itself is detach_).",
)
def detaches_itself(self: Any) -> Any:
    self.counter()
    self._edge = NO_EDGE
    return self


@mistake(
    DETACH,
    zh="返回的张量又要梯度了。detach 的结果不要梯度；谁想要，再调用一次 requires_grad_()。",
    en="What you return wants a gradient again. The result of detach wants none; if one is needed, requires_grad_() can be called on it.",
)
def asks_again(self: Any) -> Any:
    return from_array(self.storage(), None, self.counter())


@mistake(
    TENSOR + "detach",
    zh="storage 和 counter 都是方法，后面少了括号：传进去的是方法本身。写 self.storage() 和 self.counter()。",
    en="storage and counter are methods, and their brackets are missing: what you passed on is the methods themselves. Write self.storage() and self.counter().",
)
def forgets_to_call(self: Any) -> Any:
    return from_array(self.storage, NO_EDGE, self.counter)
