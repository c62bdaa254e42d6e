"""More known mistakes of lesson 05: edges counted from the wrong end, sums by hand, a look too early."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson05 import COUNT, WALK, _walk
from minigrad.autograd.engine import count_dependencies


@mistake(
    COUNT,
    zh="你数的是从节点伸出去的边。这里要的是通向它的边：沿一条边走到 parent，就给 parent 加 1。",
    en="You count the edges that leave a node. Wanted are those that lead to it: for each edge that gets to a parent, give that parent 1 more.",
)
def counts_outgoing(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in counts:
            parents = [parent for parent, _ in node.next_functions if parent is not None]
            counts[node] = len(parents)
            stack += parents
    return counts


@mistake(
    WALK,
    zh="已经存着一份时，你直接用了 +。节点有几个输出时，存着的是一个列表，各是各的梯度，不能相加；交给 merge，它分得清。",
    en="Where something is held already, you used + yourself. For a node with several outputs a list is held, one gradient for each, not to be added up; merge knows which is which.",
)
def adds_without_merge(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def add(node: Any, held: Any, grad: Any, output: int) -> Any:
        return held + grad

    _walk(buffers, retain_graph, create_graph, task, arrive=add)


@mistake(
    WALK,
    zh="你先看 waiting 是不是 0，看完才减 1，最后一份到了也没有人进队列。先减，再看。",
    en="waiting is looked at first and lowered afterwards, so when the last gradient comes, nobody is queued. Lower it, then look.",
)
def looks_before_lowering(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    _walk(buffers, retain_graph, create_graph, task, {node: n + bool(n) for node, n in waiting.items()})
