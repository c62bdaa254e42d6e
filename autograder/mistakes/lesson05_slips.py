"""More known mistakes of lesson 05: edges counted from the wrong end, sums by hand, a look too early, queues that
never shrink."""

from __future__ import annotations

import heapq
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson05 import COUNT, POP, WALK, _walk
from minigrad.autograd.engine import count_dependencies, merge, run_node
from minigrad.autograd.ready import pop, push


@mistake(
    COUNT,
    zh="轮到第二个根时，你又把它设成了 0。从第一个根出发也许已经到过它，数到的边就丢了，它下面的也数了两遍。先给所有的根记上 0，再开始走。",
    en="When its turn comes, the second root is set to 0 again. The walk from the first may have come by already: the edges counted then are lost, and what lies below is counted twice. Give every root its 0 first, then walk.",
)
def roots_begin_anew(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for root in roots:
        counts[root] = 0
        stack = [root]
        while stack:
            for parent, _ in stack.pop().next_functions:
                if parent is not None:
                    if parent not in counts:
                        stack.append(parent)
                    counts[parent] = counts.get(parent, 0) + 1
    return counts


@mistake(
    COUNT,
    zh="你数的是从节点伸出去的边。这里要的是通向它的边：沿一条边走到 parent，就给 parent 加 1。",
    en="You count the edges that leave a node. What is needed are those that lead to it: for each edge to a parent, give that parent 1 more.",
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
    zh="已经存着一份时，你直接用了 +。节点有几个输出时，存着的是一个列表，每个输出各有一份，不能混着加；交给 merge，它分得清。",
    en="Where something is held already, you used + yourself. For a node with several outputs a list is held, with one gradient for each output, which must not be added together; merge knows which is which.",
)
def adds_without_merge(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def add(node: Any, held: Any, grad: Any, output: int) -> Any:
        return held + grad

    _walk(buffers, retain_graph, create_graph, task, arrive=add)


@mistake(
    WALK,
    zh="根走过以后，再没有人进队列。每送到一份，先把 waiting[parent] 减 1，再看是不是 0，是 0 就 push；次序反了、少了哪一步，或者循环里有个 return，都会停在这里。",
    en="Once the roots have gone, nothing is ever queued. For each gradient that arrives, first lower waiting[parent] by 1, then see whether it is 0, and if so, push; in another order, with one of these steps missing, or with a return inside the loop, everything stops here.",
)
def looks_before_lowering(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    _walk(buffers, retain_graph, create_graph, task, {node: n + bool(n) for node, n in waiting.items()})


@mistake(
    COUNT,
    zh="根没有记进去：没有边通向的根也要在字典里，记 0，不然引擎不知道它已经可以走了。",
    en="The roots are missing. A root that no edge leads to belongs in the dict too, with 0, or the engine doesn't know that it may go.",
)
def forgets_the_roots(roots: Any) -> dict[Any, int]:
    counts = count_dependencies(roots)
    return {node: n for node, n in counts.items() if n}


@mistake(
    COUNT,
    zh="头一次碰到一个节点时你记了 0。那时已经有一条边通到它了，要从 1 数起；只有根从 0 数起。",
    en="You give 0 to a node that is met for the first time. One edge has already led to it by then, so begin with 1; only roots begin with 0.",
)
def new_ones_start_at_zero(roots: Any) -> dict[Any, int]:
    counts = count_dependencies(roots)
    return {node: n - 1 if n and node not in roots else n for node, n in counts.items()}


@mistake(
    COUNT,
    zh="next_functions 里是一对一对的 (节点, 编号)，你把整对当成了节点。写 for parent, number in node.next_functions。",
    en="next_functions holds pairs of a node and a number, and you took the whole pair for a node. Write: for parent, number in node.next_functions.",
)
def takes_pairs_for_nodes(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = dict.fromkeys(roots, 0)
    stack: list[Any] = list(counts)
    while stack:
        for parent in stack.pop().next_functions:
            if parent not in counts:
                counts[parent] = 0
                stack.append(parent)
            counts[parent] += 1
    return counts


@mistake(
    COUNT,
    zh="你顺着通向 None 的边也走了过去，None 没有边可看。先看 parent 是不是 None，是就跳过。",
    en="You followed an edge that leads to None, which has no edges to look at. First see whether parent is None, and if so, skip it.",
)
def follows_none(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent in stack.pop().parents:
            if parent not in counts:
                counts[parent] = 0
                stack.append(parent)
            counts[parent] += 1
    return counts


@mistake(
    COUNT,
    zh="字典的键应当是节点本身。你用了名字，同名的节点就混成了一个。",
    en="The dict's keys should be the nodes themselves. You used their names, and nodes with the same name become one.",
)
def goes_by_names(roots: Any) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for node, n in count_dependencies(roots).items():
        found[node.name()] = found.get(node.name(), 0) + n
    return found


@mistake(
    POP,
    zh="该走的找对了，可它还留在列表里，下一次又轮到它，没完没了。用 heap.remove(node) 或 heap.pop(i) 拿走；给 heap 另起一个列表不算，那只是个新名字。",
    en="You found the right one, but it stays in the list, and its turn comes again and again. Take it out with heap.remove(node) or heap.pop(i); giving the name heap to a new list doesn't help, for the old one stays as it was.",
)
def leaves_it_in(heap: Any) -> Any:
    return min(heap, key=lambda each: each.order)


@mistake(
    POP,
    zh="节点之间比不出大小。要比的是 order：min(heap, key=lambda node: node.order)。",
    en="Nodes can't be compared with < or >. Compare their order: min(heap, key=lambda node: node.order).",
)
def compares_the_nodes(heap: Any) -> Any:
    node = min(heap)
    heap.remove(node)
    return node


@mistake(
    POP,
    zh="heapq 比的是节点本身，而节点之间比不出大小；不超过两个时，碰巧用不着比。要比的是 node.order，用 min 的 key，或者自己找。",
    en="heapq compares the nodes themselves, which can't be compared; with two or fewer it happens not to try. Compare node.order: use min with a key, or search yourself.",
)
def leaves_it_to_heapq(heap: Any) -> Any:
    return heapq.heappop(heap)


@mistake(
    WALK,
    zh="你把节点按 order 排好，一个一个走下去，不等谁到齐。叶子的 AccumulateGrad 的 order 最小，于是最先走，那时什么也没到。要数着：到齐了才进队列。",
    en="You sort the nodes by their order and go through them, without waiting for anything. A leaf's AccumulateGrad has the smallest order and goes first, before anything has arrived. Count: queue a node only when all of its gradients are in.",
)
def sorts_and_waits_for_nothing(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _in_a_row(buffers, retain_graph, create_graph, task, lambda nodes: sorted(nodes, key=lambda each: each.order))


@mistake(
    WALK,
    zh="梯度都对，但叶子被排到了最后。叶子的 AccumulateGrad 一到齐就最先走，所以次序要由队列来定，不能预先排好。",
    en="The gradients are right, but leaves go last of all. A leaf's AccumulateGrad goes first as soon as it has everything, so the queue decides the order; it cannot be sorted beforehand.",
)
def sorts_with_leaves_last(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def arranged(nodes: Any) -> list[Any]:
        return sorted(nodes, key=lambda each: (hasattr(each, "variable"), each.order))

    _in_a_row(buffers, retain_graph, create_graph, task, arranged)


def _in_a_row(buffers: Any, keep: bool, create: bool, task: Any, arranged: Any) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    for node in arranged(waiting):
        grad = buffers.pop(node, None)
        for (parent, output), result in zip(node.next_functions, run_node(node, grad, keep, create, task)):  # noqa: B905
            if parent is not None and result is not None:
                if (held := buffers.get(parent)) is None:
                    buffers[parent] = parent.receive(result, output, result is grad)
                else:
                    buffers[parent] = merge(parent, held, result, output)


@mistake(
    WALK,
    zh="两份相遇时，你用 += 写进了先到的数组。加法把同一个数组交给两家，写进一家的，另一家也变了。写成 held + result，得到一个新的；或者交给 merge。",
    en="Where two gradients meet, += wrote into the array that came first. Addition hands the same array to both its inputs, so what you write into one appears in the other. held + result makes a new one; or leave it to merge.",
)
def adds_in_place(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def add(node: Any, held: Any, grad: Any, output: int) -> Any:
        if type(held) is list:
            return merge(node, held, grad, output)
        held += grad
        return held

    _walk(buffers, retain_graph, create_graph, task, arrive=add)


@mistake(
    WALK,
    zh="第一份到的时候你直接存了 result。该存什么由下家说：parent.receive(result, 编号, result is grad)。叶子也许要复制，几个输出的节点要放进一个列表。",
    en="You kept the first to arrive as it is. What to keep is for the next node to say, with parent.receive(result, number, result is grad): a leaf may need a copy, a node of several outputs a list.",
)
def keeps_it_without_receive(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: list[Any] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node: Any = pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results):  # noqa: B905
            if parent is None:
                continue
            if result is not None:
                held = buffers.get(parent)
                buffers[parent] = result if held is None else merge(parent, held, result, output)
            waiting[parent] -= 1
            if not waiting[parent]:
                push(ready, parent)


@mistake(
    WALK,
    zh="通向 None 的边你没有跳过：waiting 里没有 None。先看 parent 是不是 None，是就 continue。",
    en="You don't skip edges that lead to None, and there is no None in waiting. First see whether parent is None; if so, continue.",
)
def forgets_edges_to_nowhere(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: list[Any] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node: Any = pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results):  # noqa: B905
            if result is not None:
                if (held := buffers.get(parent)) is None:
                    buffers[parent] = parent.receive(result, output, result is grad)
                else:
                    buffers[parent] = merge(parent, held, result, output)
            waiting[parent] -= 1
            if not waiting[parent]:
                push(ready, parent)


@mistake(
    WALK,
    zh="retain_graph 和 create_graph 传反了。run_node 要的次序是 node, grad, retain_graph, create_graph, task。",
    en="retain_graph and create_graph have changed places. run_node takes node, grad, retain_graph, create_graph, task.",
)
def exchanges_the_flags(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, create_graph, retain_graph, task)


@mistake(
    COUNT,
    zh="每个根你都从头走了一遍，两个根共有的那段图，边就数了两遍。走过的节点要记在一起，所有的根共用。",
    en="You walk each root by itself, so edges in the part that two roots share are counted twice. Keep one record of the nodes you have met, for all roots together.",
)
def walks_each_root_by_itself(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for root in roots:
        counts.setdefault(root, 0)
        for node, n in count_dependencies([root]).items():
            counts[node] = counts.get(node, 0) + n
    return counts


@mistake(
    COUNT,
    zh="有一个根你走了两遍：从另一个根已经走到过它，轮到它时又从它走了一遍，它下面的边就多数了。走过的根不再走。",
    en="One root is walked twice: it was reached from another, and when its own turn came you walked it again, so the edges below it count too often. Don't walk a root again.",
)
def walks_a_root_again(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for root in roots:
        counts.setdefault(root, 0)
        stack = [root]
        while stack:
            for parent, _ in stack.pop().next_functions:
                if parent is not None:
                    if parent not in counts:
                        stack.append(parent)
                    counts[parent] = counts.get(parent, 0) + 1
    return counts


@mistake(
    WALK,
    zh="存和加你都自己写了。节点有几个输出时，存着的要是一个列表，叶子也许要复制：第一份问 parent.receive(…)，后来的交给 merge(…)。",
    en="You did the keeping and adding yourself. A node with several outputs needs a list, a leaf may need a copy: ask parent.receive(…) for the first to arrive, and merge(…) for those that follow.",
)
def keeps_and_adds_by_itself(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: list[Any] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node: Any = pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, _), result in zip(node.next_functions, results):  # noqa: B905
            if parent is None:
                continue
            if result is not None:
                buffers[parent] = buffers[parent] + result if parent in buffers else result
            waiting[parent] -= 1
            if not waiting[parent]:
                push(ready, parent)


@mistake(
    WALK,
    zh="buffers 里不是每个节点都有：什么也没送到的节点也要走一次。写 buffers.pop(node, None)，没有就是 None。",
    en="Not every node is in buffers: a node that received nothing runs as well. Write buffers.pop(node, None), which gives None for it.",
)
def expects_a_gradient(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def take(ready: Any) -> Any:
        node = pop(ready)
        _ = buffers[node]
        return node

    _walk(buffers, retain_graph, create_graph, task, take=take)


@mistake(
    COUNT,
    zh="next_functions 里有的边通向空处：(None, 0)，那里没有人要梯度。先看 parent 是不是 None，是就跳过。",
    en="Some edges in next_functions lead nowhere: (None, 0), where nobody wants a gradient. See whether parent is None, and skip it.",
)
def follows_edges_to_nowhere(roots: Any) -> dict[Any, int]:
    counts: dict[Any, int] = dict.fromkeys(roots, 0)
    stack = list(roots)
    while stack:
        node = stack.pop()
        for parent, _ in node.next_functions:
            counts[parent] = counts.get(parent, 0) + 1
            stack.append(parent)
    return counts


@mistake(
    WALK,
    zh="第一份梯度到的时候，buffers 里还没有东西可以合：merge 的 held 是 None。先看有没有；没有，就直接存下来。",
    en="When the first gradient arrives, buffers holds nothing to merge it with, and held is None. Look first; if there is none, store what has come.",
)
def merges_with_nothing(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready = [root for root in buffers if waiting[root] == 0]
    while ready:
        node = pop(ready)
        results = run_node(node, buffers.pop(node, None), retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results, strict=False):
            if parent is not None:
                if result is not None:
                    buffers[parent] = merge(parent, buffers.get(parent), result, output)
                waiting[parent] -= 1
                if waiting[parent] == 0:
                    push(ready, parent)
