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
