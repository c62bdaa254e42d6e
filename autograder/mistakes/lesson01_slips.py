"""More slips of lesson 01: words and classes of refusals, methods that call themselves, what goes into a new tensor."""

from __future__ import annotations

from typing import Any

import minigrad
from autograder.mistakes import mistake
from autograder.mistakes.lesson01 import DETACH, ITEM, REQUIRES_GRAD, returns_another
from minigrad.autograd.graph import NO_EDGE
from minigrad.tensor import FLOAT_ONLY, LEAVES_ONLY, from_array


@mistake(
    ITEM,
    zh="不止一个数时，是 NumPy 在报错，类别是它的 ValueError，话也是它的。先看元素个数，不是 1 就自己 raise RuntimeError（raise 不能少）。",
    en="With more than one number it is NumPy that refuses, with its own ValueError in its own words. Look at the number of elements first, and raise the RuntimeError yourself (with the word raise).",
)
def leaves_it_to_numpy(self: Any) -> Any:
    return self._data.item()


@mistake(
    ITEM,
    zh="话没有错，错误的类别不对：torch 报的是 RuntimeError，别的程序会照这个类别来接。",
    en="The words are right, the class is not: torch raises a RuntimeError, and other programs catch it by its class.",
)
def raises_a_value_error(self: Any) -> Any:
    if self._data.size != 1:
        raise ValueError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    ITEM,
    zh='引号前面少了一个 f，花括号里的式子就原样留在了话里。写 f"a Tensor with {…} elements …"。',
    en='There is an f missing in front of the quotes, so what stands in curly brackets stays as it is. Write f"a Tensor with {…} elements …".',
)
def forgets_the_f(self: Any) -> Any:
    if self._data.size != 1:
        raise RuntimeError("a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    ITEM,
    zh="tolist 给的是和张量同样层数的列表，只有没有维度的张量才得到一个数；个数也没有看。",
    en="tolist gives lists as deep as the tensor; only without dimensions is it a number. Nor did you look at how many there are.",
)
def makes_a_list(self: Any) -> Any:
    return self._data.tolist()


@mistake(
    ITEM,
    zh="张量的 item() 就是你正在写的这一个（self.data 也是张量），它调用自己，没完没了。该调用数组的：self._data.item()，有下划线。",
    en="A tensor's item() is the very one you are writing, and calls itself without end; self.data is a tensor, too. Call the array's instead: self._data.item(), with the underscore.",
)
def calls_itself(self: Any) -> Any:
    return self.item()


@mistake(
    ITEM,
    zh="你只认形状 (1,)。没有维度的、外面套了几层括号的，也都只有一个数：看 size，不要看 shape。",
    en="You let only shape (1,) through. A tensor without dimensions, or in several brackets, holds one number too: look at size, not at shape.",
)
def only_in_one_bracket(self: Any) -> Any:
    if self._data.shape != (1,):
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    REQUIRES_GRAD,
    zh="两句话放反了：整数要梯度，说 FLOAT_ONLY；算出来的张量要关掉，说 LEAVES_ONLY。",
    en="The two messages are swapped: FLOAT_ONLY is for integers that ask, LEAVES_ONLY for computed tensors to be switched off.",
)
def exchanges_the_sentences(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(LEAVES_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(FLOAT_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="开关先拨了，后来才拒绝：错是报了，张量却已经变了。先看能不能，再拨。",
    en="You throw the switch first and refuse afterwards: the error comes, but the tensor has already changed. Check first, then switch.",
)
def refuses_too_late(self: Any, requires_grad: bool = True) -> Any:
    self.want_gradient(requires_grad)
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="该拒绝的时候你一声不响地返回了 self，写程序的人以为拨上了。不行就 raise，让人当场知道。",
    en="Where it should refuse, you quietly return self, and whoever wrote the program believes it worked. Raise, so that it shows at once.",
)
def refuses_in_silence(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        return self
    if not requires_grad and not self.is_leaf:
        return self
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="第二种情形拿反了：算出来的张量说“要”没有关系，说“不要”才拒绝。条件是 not requires_grad and not self.is_leaf。",
    en="The second case is the wrong way round: a computed tensor may say that it wants one; that it wants none is what is refused. The condition is: not requires_grad and not self.is_leaf.",
)
def refuses_the_other_end(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="返回的是 True 或 False，不是张量。x = tensor(…).requires_grad_() 要的是张量自己：return self。",
    en="You return True or False, not the tensor. x = tensor(…).requires_grad_() needs the tensor itself: return self.",
)
def returns_the_switch(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return requires_grad


@mistake(
    DETACH,
    zh="clone 两头都不对：数复制了一份，不再共用存储；而复制本身又是一次被记录的运算，历史还在。",
    en="clone is wrong at both ends: the numbers are copied, so the storage is not shared; and copying is a recorded operation itself, so the history is still there.",
)
def clones(self: Any) -> Any:
    return self.clone()


@mistake(
    DETACH,
    zh="self.detach() 就是你正在写的这一个，它调用自己，没完没了。新张量由 from_array 来造。",
    en="self.detach() is the very one you are writing, which calls itself without end. from_array makes the new tensor.",
)
def detaches_by_detaching(self: Any) -> Any:
    return self.detach()


@mistake(
    DETACH,
    zh="你写的 (None, 0) 看上去和 NO_EDGE 一样，却是另一个对象；引擎认的是 NO_EDGE 这一个，别的都当作要梯度。",
    en="Your (None, 0) looks like NO_EDGE but is another object; the engine goes by NO_EDGE itself, and takes any other for wanting a gradient.",
)
def writes_the_pair_itself(self: Any) -> Any:
    return from_array(self.storage(), (None, 0), self.counter())


@mistake(
    DETACH,
    zh="from_array 的第二、第三样放反了：先是历史 NO_EDGE，再是计数器 self.counter()。",
    en="The second and third arguments of from_array are swapped: first the history, NO_EDGE, then the counter, self.counter().",
)
def exchanges_history_and_counter(self: Any) -> Any:
    return from_array(self.storage(), self.counter(), NO_EDGE)  # type: ignore[arg-type]


@mistake(
    DETACH,
    zh="你返回的是里面的 NumPy 数组，它没有 requires_grad，也没有版本。用 from_array 把它装成张量。",
    en="You return the NumPy array inside, which has no requires_grad and no version. Make a tensor of it with from_array.",
)
def gives_the_bare_array(self: Any) -> Any:
    return self.storage()


@mistake(
    DETACH,
    zh="叶子你原样返回了。要梯度的叶子没有历史，却有一条去处：detach 的结果不要梯度，而且总是另一个张量。",
    en="You return leaves as they are. A leaf that wants a gradient has no history, but gradients still go to it: what detach gives wants none, and is always another tensor.",
)
def leaves_leaves_alone(self: Any) -> Any:
    if self.is_leaf:
        return self
    return from_array(self.storage(), NO_EDGE, self.counter())


@mistake(
    DETACH,
    zh="你关掉的是原来那个张量自己。detach 不改动原来的：另造一个，共用存储和计数器，没有历史。",
    en="You switch off the original itself. detach leaves it alone: make another one, with the same storage and counter, and without a history.",
)
def switches_itself_off(self: Any) -> Any:
    self.requires_grad = False
    return self


@mistake(
    ITEM,
    zh="float() 把什么都变成了浮点数：tensor(3).item() 该是 int，tensor(True).item() 该是 bool；带括号的 [[3.]] 它又不收。NumPy 数组自己的 .item() 会给出合适的 Python 数。",
    en="float() makes a float of everything: tensor(3).item() should be an int and tensor(True).item() a bool; and [[3.]], in brackets, it does not take. A NumPy array's own .item() gives the right Python number.",
)
def takes_float_of_the_array(self: Any) -> Any:
    return float(self._data)


@mistake(
    ITEM,
    zh="len() 数的是最外层有几行，没有维度的张量还会报错。元素的个数是 self._data.size。",
    en="len() counts the outermost rows, and raises for a tensor without dimensions. The number of elements is self._data.size.",
)
def counts_the_rows(self: Any) -> Any:
    if len(self._data) != 1:
        raise RuntimeError(f"a Tensor with {len(self._data)} elements cannot be converted to Scalar")
    return self._data[0]


@mistake(
    ITEM,
    zh='错误信息里写死了 2。2 只是例子：有几个元素就写几，用 f"…{self._data.size}…"。',
    en='The message always says 2, which was only an example. Put in the real number of elements: f"…{self._data.size}…".',
)
def always_says_two(self: Any) -> Any:
    if self._data.size != 1:
        raise RuntimeError("a Tensor with 2 elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    REQUIRES_GRAD,
    zh="你不管是打开还是关掉，都拒绝了。不是浮点数，只在打开时拒绝；不是叶子，只在关掉时拒绝：两个条件里都要看 requires_grad。",
    en="You refuse whether it is switched on or off. Refuse other dtypes only when switching on, and tensors that are no leaves only when switching off: both conditions have to look at requires_grad.",
)
def refuses_either_way(self: Any, requires_grad: bool = True) -> Any:
    if not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


@mistake(
    DETACH,
    zh="第三个参数要的是计数器本身，两个张量共用它：self.counter()。self._version 只是它现在的读数。",
    en="The third argument is the counter itself, which the two tensors share: self.counter(). self._version is only what it reads now.",
)
def passes_what_the_counter_reads(self: Any) -> Any:
    return from_array(self._data, NO_EDGE, self._version)


@mistake(
    ITEM,
    zh="报错的类别用了 AssertionError：assert 是给自己检查用的。要拒绝别人的请求，写 if … : raise RuntimeError(…)。",
    en="assert raises an AssertionError; it is meant for checking yourself. To refuse what somebody asks, write if …: raise RuntimeError(…).",
)
def asserts_it(self: Any) -> Any:
    assert self._data.size == 1, f"a Tensor with {self._data.size} elements cannot be converted to Scalar"
    return self._data.item()


@mistake(
    REQUIRES_GRAD,
    zh="FLOAT_ONLY 和 LEAVES_ONLY 是变量，里面存着 torch 的原话；加了引号，就只剩这两个名字本身了。写 RuntimeError(FLOAT_ONLY)。",
    en="FLOAT_ONLY and LEAVES_ONLY are variables that hold torch's words; between quotes, only their names are left. Write RuntimeError(FLOAT_ONLY).",
)
def quotes_the_names(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError("FLOAT_ONLY")
    if not requires_grad and not self.is_leaf:
        raise RuntimeError("LEAVES_ONLY")
    self.want_gradient(requires_grad)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="传 False 进来，你什么也没做：既没有关掉，也没有拒绝算出来的张量。want_gradient(requires_grad) 打开、关掉都管。",
    en="When False comes in, you do nothing: nothing is switched off, and no computed tensor is refused. want_gradient(requires_grad) switches either way.",
)
def only_ever_switches_on(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad:
        if not self.is_floating_point():
            raise RuntimeError(FLOAT_ONLY)
        self.want_gradient(True)
    return self


@mistake(
    REQUIRES_GRAD,
    zh="第一行里的 requires_grad=True 被你改成了没有默认值的，x.requires_grad_() 就少了一个参数。默认值要留着。",
    en="Your first line has lost the default in requires_grad=True, and x.requires_grad_() now lacks an argument. Keep the default.",
)
def wants_an_argument(self: Any, requires_grad: bool) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(requires_grad)
    return self


wants_an_argument.__qualname__ = "requires_grad_"  # the name that Python gives in its error


@mistake(
    DETACH,
    zh="你照着数字造了一个新张量：存储不共用，连类型也可能变（Python 的数一律成了 float32）。共用要靠 from_array 和 self.storage()。",
    en="You make a new tensor of the same numbers: it shares no storage, and even its dtype may differ (Python's floats become float32). To share, use from_array and self.storage().",
)
def makes_one_of_the_numbers(self: Any) -> Any:
    return minigrad.tensor(self.tolist())


@mistake(
    REQUIRES_GRAD,
    zh="该拒绝的都拒绝了，可最后 want_gradient 得到的总是 True：传 False 进来也关不掉。把 requires_grad 传给它。",
    en="Both refusals are right, but in the end want_gradient is always given True, and False switches nothing off. Pass requires_grad on.",
)
def always_wants_one(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad and not self.is_floating_point():
        raise RuntimeError(FLOAT_ONLY)
    if not requires_grad and not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    self.want_gradient(True)
    return self


@mistake(
    DETACH,
    zh="你把 self._edge 原样交给了新的张量，历史还在，梯度照样流过去。detach 出来的，边是 NO_EDGE。",
    en="You gave the new tensor self._edge as it is: the history is still there, and gradients flow through it. What detach returns has NO_EDGE.",
)
def passes_the_edge_on(self: Any) -> Any:
    return from_array(self.storage(), self._edge, self.counter())


@mistake(
    ITEM,
    zh="len 只数第一维，零维的没有 len。元素的个数是 self._data.size。",
    en="len counts along the first dimension alone, and a tensor without dimensions has none. The number of elements is self._data.size.",
)
def counts_with_len(self: Any) -> Any:
    if len(self._data) != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    return self._data.item()


@mistake(
    DETACH,
    zh="._data.copy() 是一份拷贝，改一个，另一个不跟着变。detach 和原来的张量共用存储：用 self.storage()。",
    en="._data.copy() is a copy: a write to one is not seen in the other. detach shares the storage: use self.storage().",
)
def copies_the_array(self: Any) -> Any:
    return from_array(self._data.copy(), NO_EDGE, self.counter())


@mistake(
    DETACH,
    zh="counter 后面少了括号：self.counter 是方法本身，self.counter() 才是计数器。",
    en="The brackets after counter are missing: self.counter is the method itself, self.counter() the counter.",
)
def hands_on_the_method(self: Any) -> Any:
    return from_array(self.storage(), NO_EDGE, self.counter)


@mistake(
    ITEM,
    zh=".data 是张量，它的 .size 是个方法，和 1 比永远不等。NumPy 数组是 ._data：self._data.size。",
    en=".data is a tensor, whose .size is a method and never equal to 1. The NumPy array is ._data: self._data.size.",
)
def takes_data_for_the_array(self: Any) -> Any:
    if self.data.size != 1:
        raise RuntimeError(f"a Tensor with {self.data.size} elements cannot be converted to Scalar")
    return self.data.item()


@mistake(
    REQUIRES_GRAD,
    zh="clone() 造出的是另一个张量，你打开的是它，self 没有变。对 self 调用 want_gradient，最后 return self。",
    en="clone() makes another tensor, and that is the one you switch on; self stays as it was. Call want_gradient on self, and return self.",
)
def switches_a_clone(self: Any, requires_grad: bool = True) -> Any:
    returns_another(self, requires_grad)  # for what it refuses
    other = self.clone()
    other.want_gradient(requires_grad)
    return other
