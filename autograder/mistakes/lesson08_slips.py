"""More mistakes of lesson 08: an empty tuple taken for None, truth in place of None, places counted otherwise."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson08 import RELEASE, SAVE, UNPACK
from minigrad.autograd.graph import SECOND_BACKWARD, SavedResult

# ── save_result ──────────────────────────────────────────────────────────────────────────────────


@mistake(
    SAVE,
    zh="你只交出了数组。没有计数器，谁也看不出它后来被改写过：要把数组、计数器和编号装进 SavedResult。",
    en="You returned the array alone. Without its counter nobody can tell that it was written to later: put the array, the counter and the number into a SavedResult.",
)
def keeps_the_array(result: Any, output: int = 0) -> Any:
    return result._data


@mistake(
    SAVE,
    zh="result.data 是一个新张量：没有历史，计数器也是它自己的，改写了 result 它不知道。用 SavedResult(result._data, result.counter(), output)。",
    en="result.data is a new tensor: without a history, and with a counter of its own that hears nothing of writes to result. Use SavedResult(result._data, result.counter(), output).",
)
def keeps_the_data(result: Any, output: int = 0) -> Any:
    return result.data


# ── unpack_arrays ────────────────────────────────────────────────────────────────────────────────


def _unpacked(node: Any, place: Any) -> list[Any]:
    """As it should be, but for the place that check_saved is told: place(index, values so far, values checked)."""
    if node.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values: list[Any] = []
    checked = 0
    for index, value in enumerate(node.saved):
        if value is not None and value._counter is not None:
            node.check_saved(place(index, values, checked), value)
            checked += 1
        values.append(None if value is None else value._data)
    return values


@mistake(
    UNPACK,
    zh="not self.saved 对空元组也成立，可空元组的意思是“什么也没存”，那样的节点走多少遍都行。只有 self.saved is None 才是已经释放。",
    en='not self.saved is true for an empty tuple, too, and that means "saved nothing": such a node can be walked as often as you like. Only self.saved is None means released.',
)
def takes_empty_for_released(self: Any) -> list[Any]:
    if not self.saved:
        raise RuntimeError(SECOND_BACKWARD)
    return _unpacked(self, lambda index, values, checked: index)


@mistake(
    UNPACK,
    zh="if value 问的是它的真假，而有好几个元素的张量没有真假可言。要问的是它在不在：value is None。",
    en="if value asks whether it is true, and a tensor of several elements is neither true nor false. Ask whether it is there: value is None.",
)
def asks_whether_it_is_true(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values = []
    for index, value in enumerate(self.saved):
        if value and value._counter is not None:
            self.check_saved(index, value)
        values.append(value._data if value else None)
    return values


@mistake(
    UNPACK,
    zh="元组里有一项是 None，你就当成已经释放了。那只说明没有人要这一项；self.saved 整个是 None，才是释放。",
    en="Because one item is None, you take everything for released. It only means that nobody needs that item; only when self.saved itself is None were the values released.",
)
def takes_one_none_for_released(self: Any) -> list[Any]:
    if self.saved is None or any(value is None for value in self.saved):
        raise RuntimeError(SECOND_BACKWARD)
    return _unpacked(self, lambda index, values, checked: index)


@mistake(
    UNPACK,
    zh="没有计数器的值，你换成了 None。没有计数器只是不用检查版本，value._data 还是要放进去。",
    en="A value without a counter became None. Without a counter there is no version to check, but value._data belongs in the list all the same.",
)
def makes_none_of_the_counterless(self: Any) -> list[Any]:
    whole = _unpacked(self, lambda index, values, checked: index)
    return [
        None if value is None or value._counter is None else array
        for value, array in zip(self.saved, whole, strict=True)
    ]


@mistake(
    UNPACK,
    zh="位置数错了：你只数了要检查的那些。index 是它在 self.saved 里的位置，前面的 None 和没有计数器的值也要数。",
    en="The place is miscounted: you number only those that are checked. index is the place in self.saved, where a None and a value without a counter count as well.",
)
def numbers_the_checked_only(self: Any) -> list[Any]:
    return _unpacked(self, lambda index, values, checked: checked)


@mistake(
    UNPACK,
    zh="位置多了一：位置从 0 数起。如果你用 len(values) 当位置，要在 append 之前用。",
    en="The place is one too far: places count from 0. If you take len(values) for the place, take it before the append.",
)
def one_place_too_far(self: Any) -> list[Any]:
    return _unpacked(self, lambda index, values, checked: index + 1)


@mistake(
    UNPACK,
    zh="check_saved 的两个参数反了：先位置，后值。",
    en="The two arguments of check_saved are swapped: the place comes first, then the value.",
)
def exchanges_place_and_value(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    for index, value in enumerate(self.saved):
        if value is not None and value._counter is not None:
            self.check_saved(value, index)
    return [None if value is None else value._data for value in self.saved]


@mistake(
    UNPACK,
    zh="报错里没有话：用户看不出是哪里不对。那段话已经写好了：raise RuntimeError(SECOND_BACKWARD)。",
    en="The error has no message, so the user cannot tell what is wrong. The message is there already: raise RuntimeError(SECOND_BACKWARD).",
)
def raises_without_words(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError
    return _unpacked(self, lambda index, values, checked: index)


# ── release ──────────────────────────────────────────────────────────────────────────────────────


@mistake(
    RELEASE,
    zh="你把它前面的节点也一起放掉了，可它们还没有走到，保存的值还要用。只管 node 自己：轮到别的节点时，引擎自会再叫你。",
    en="You let go of the nodes ahead of it as well, whose turn has not come and who still need what they saved. Mind node alone: the engine calls you again when the others have run.",
)
def releases_what_lies_ahead(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = None
        for ahead, _ in node.next_functions:
            if ahead is not None:
                releases_what_lies_ahead(ahead, retain_graph)


@mistake(
    SAVE,
    zh="SavedResult 按位置收三个值，不要写参数名：SavedResult(result._data, result.counter(), output)。",
    en="SavedResult takes its three values by place, so leave the names out: SavedResult(result._data, result.counter(), output).",
)
def names_its_arguments(result: Any, output: int = 0) -> Any:
    make: Any = SavedResult
    return make(array=result._data, counter=result.counter(), output=output)


@mistake(
    UNPACK,
    zh="check_saved 报的错，正是“值被改写了”的警告，却被你的 try 接住，换成了 None。去掉 try，让它报出去。",
    en="The error of check_saved is the warning that a value was overwritten, and your try turns it into a None. Take the try away and let the error out.",
)
def catches_the_warning(self: Any) -> list[Any]:
    if self.saved is None:
        raise RuntimeError(SECOND_BACKWARD)
    values: list[Any] = []
    for index, value in enumerate(self.saved):
        try:
            self.check_saved(index, value)
            values.append(value._data)
        except Exception:
            values.append(None)
    return values


@mistake(
    UNPACK,
    zh="取出来不用复制，而且有的值只是普通的数，没有 copy。直接放 value._data。",
    en="Reading needs no copy, and some saved values are plain numbers, which have none. Put in value._data itself.",
)
def copies_what_it_reads(self: Any) -> list[Any]:
    _unpacked(self, lambda index, values, checked: index)
    return [None if value is None else value._data.copy() for value in self.saved]


@mistake(
    RELEASE,
    zh="你写的是 node.saved = False。在引擎看来，只有 None 才表示“已释放”。",
    en="You set node.saved to False. To the engine, only None means released.",
)
def sets_it_to_false(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = False
