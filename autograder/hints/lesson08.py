"""Hints of lesson 08."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.graph.save_result": (
        (
            "张量 result 通过 grad_fn 抓着它的节点。节点再抓着 result，会怎样？",
            "The tensor result holds its node through grad_fn. What if the node holds result in turn?",
        ),
        (
            "所以不存张量，只存它里面的两样东西：数组 result._data 和版本计数器 result.counter()。两样都要原来的，不要复制，也不要新的。",
            "So do not keep the tensor, only two things in it: the array result._data and the version counter result.counter(). Both as "
            "they are, neither copied nor new.",
        ),
        (
            "返回 SavedResult(数组, 计数器, output)。",
            "Return SavedResult(the array, the counter, output).",
        ),
    ),
    "minigrad.autograd.graph.Node.unpack_arrays": (
        (
            "self.saved 可能是 None，也可能是一列值；值本身又可能是 None。三种 None 和非 None 各说明什么？",
            "self.saved may be None, or a row of values; a value in it may be None, too. What does each of these say?",
        ),
        (
            "整个是 None：已经释放，raise RuntimeError(SECOND_BACKWARD)。某一个是 None：没人要它，但位置要占着。其余的：有 _counter 就先 self.check_saved(位置, 值)，再取 value._data。",
            "All of it None: released, so raise RuntimeError(SECOND_BACKWARD). One value None: nobody wants it, but its place counts. Any other: "
            "where it has a _counter, first self.check_saved(place, value); then take value._data.",
        ),
        (
            "for index, value in enumerate(self.saved)：value 是 None 就 append(None)；否则，value._counter 不是 None 时调用 self.check_saved(index, value)，再 append(value._data)。最后返回列表。",
            "for index, value in enumerate(self.saved): append None where value is None; otherwise, if value._counter is not None call "
            "self.check_saved(index, value), and append value._data. Return the list.",
        ),
    ),
    "minigrad.autograd.engine.release": (
        (
            "什么时候不该放手？",
            "When must it not let go?",
        ),
        (
            "retain_graph 为真时什么都不做。否则 node.saved 要变成一个能与“什么也没存”（空元组）区分开的值。边（next_functions）不要动。",
            'With retain_graph do nothing. Otherwise node.saved becomes a value that can be told from "saved nothing", an empty tuple. '
            "Leave the edges (next_functions) alone.",
        ),
        (
            "if not retain_graph：把 node.saved 设成 None。",
            "if not retain_graph: set node.saved to None.",
        ),
    ),
}
