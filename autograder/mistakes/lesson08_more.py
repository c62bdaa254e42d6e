"""Known mistakes of lesson 08, continued: what others return taken for more than it is, refusals that are not raised."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson08 import RELEASE, SAVE, UNPACK
from minigrad.autograd.graph import SECOND_BACKWARD, SavedResult


def _not_released(node: Any) -> tuple[Any, ...]:
    if node.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    saved: tuple[Any, ...] = node.saved
    return saved


def _unpacked(node: Any) -> list[Any]:
    """As it should be."""
    for index, value in enumerate(_not_released(node)):
        if value is not None and value._counter is not None:
            node.check_saved(index, value)
    return [value if value is None else value._data for value in node.saved]


@mistake(
    SAVE,
    zh="result 要梯度，numpy() 就不肯。你要的数组就在手边：result._data。",
    en="Where result requires grad, numpy() refuses. The array you want is at hand: result._data.",
)
def asks_for_numpy(result: Any, output: int = 0) -> Any:
    return SavedResult(result.numpy(), result.counter(), output)


@mistake(
    UNPACK,
    zh="已经释放的时候，你返回了 None，引擎拿去一用就出错，错得莫名其妙。这时要拒绝：raise RuntimeError(SECOND_BACKWARD)。",
    en="Where everything was released, you return None, and the engine stumbles over it with an error that explains nothing. Refuse: raise RuntimeError(SECOND_BACKWARD).",
)
def gives_none_when_released(self: Any) -> Any:
    return None if self.saved is None else _unpacked(self)


@mistake(
    UNPACK,
    zh="check_saved 只管报错，什么也不返回，你却把它返回的放进了列表。先调用它，再放 value._data。",
    en="check_saved only raises, and returns nothing, yet what it returns is what you put into the list. Call it first, then put in value._data.",
)
def takes_what_the_check_returns(self: Any) -> Any:
    values: list[Any] = []
    for index, value in enumerate(_not_released(self)):
        if value is not None and value._counter is not None:
            values.append(self.check_saved(index, value))
        else:
            values.append(value if value is None else value._data)
    return values


@mistake(
    UNPACK,
    zh="self.saved.index(value) 是一个一个用 == 去比的，而张量的 == 比的是里面的数。位置要自己数：for index, value in enumerate(self.saved)。",
    en="self.saved.index(value) compares with ==, one after another, and == of tensors compares the numbers in them. Count the places: for index, value in enumerate(self.saved).",
)
def looks_the_place_up(self: Any) -> Any:
    for value in _not_released(self):
        if value is not None and value._counter is not None:
            self.check_saved(self.saved.index(value), value)
    return [value if value is None else value._data for value in self.saved]


@mistake(
    RELEASE,
    zh="你把 saved 设成了空列表。空的意思是“什么也没存”，看不出释放过；设成 None。",
    en='You set saved to an empty list. Empty means "saved nothing" and does not show that the values were released; set it to None.',
)
def leaves_an_empty_list(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = []


@mistake(
    UNPACK,
    zh="碰到 None 就 break，后面的值都没有取。None 只说明没有人要这一项：放一个 None 占位置，接着往下取（continue）。",
    en="You break at a None, and the values after it are never read. A None only says that nobody wants this item: put a None in its place and go on (continue).",
)
def stops_at_a_none(self: Any) -> list[Any]:
    values: list[Any] = []
    for value in _not_released(self):
        values.append(value if value is None else value._data)
        if value is None:
            break
        if value._counter is not None:
            self.check_saved(len(values) - 1, value)
    return values


@mistake(
    UNPACK,
    zh="try 接住的太多：check_saved 报的是“值被改写了”，也被换成了“走了第二遍”，用的人会去错的地方找。不要 try；用 if self.saved is None 判断释放没有。",
    en='Your try catches too much: check_saved says that a value was overwritten, and that is turned into "a second time", which sends users to the wrong place. Leave the try out, and ask with if self.saved is None whether it was released.',
)
def catches_the_version_error_as_well(self: Any) -> list[Any]:
    try:
        return _unpacked(self)
    except Exception:
        raise RuntimeError(SECOND_BACKWARD) from None


@mistake(
    UNPACK,
    zh="保存的值没有 data：要的数组叫 value._data，前面有一个下划线。有些项恰好是张量，张量的 .data 还是张量，也不对。",
    en="A saved value has no data: the array is value._data, with an underscore in front. Some items happen to be tensors, but the .data of a tensor is a tensor again, so that is wrong, too.",
)
def forgets_the_underscore(self: Any) -> list[Any]:
    values: list[Any] = []
    for index, value in enumerate(_not_released(self)):
        if value is not None and value._counter is not None:
            self.check_saved(index, value)
        values.append(value if value is None else value.data)
    return values


@mistake(
    RELEASE,
    zh="元组没有 clear()，元组造好就不能改。不用清空它：让节点不再指着它，node.saved = None。",
    en="A tuple has no clear(); once made, it cannot be changed. There is no need to empty it: let the node hold it no longer, node.saved = None.",
)
def clears_a_tuple(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved.clear()


@mistake(
    RELEASE,
    zh="release 只管放手，不报错：这时 node 才刚走完第一遍。第二遍来取值时，unpack_arrays 会报错。",
    en="release only lets go and raises nothing: at this point node has just had its first walk. unpack_arrays raises, when a second walk comes to read the values.",
)
def raises_at_once(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        raise RuntimeError(SECOND_BACKWARD)


@mistake(
    UNPACK,
    zh="有计数器的值，检查完了却没有放进列表。check_saved 只管报错，什么也不返回：查完之后照样 append(value._data)，不要 continue，也不要拿它返回的当条件。",
    en="Values with a counter are checked and then left out of the list. check_saved only raises, and returns nothing: append value._data after it as well, without a continue, and without making a condition of what it returns.",
)
def leaves_out_those_with_a_counter(self: Any) -> list[Any]:
    values: list[Any] = []
    for index, value in enumerate(_not_released(self)):
        if value is None:
            values.append(None)
        elif value._counter is not None:
            self.check_saved(index, value)
        else:
            values.append(value._data)
    return values
