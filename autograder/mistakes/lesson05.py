"""Known mistakes of lesson 05: edges miscounted, the wrong one first, gradients overwritten, nodes run too early."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.engine import count_dependencies, merge, run_node
from minigrad.autograd.ready import pop, push

COUNT = "minigrad.autograd.engine.count_dependencies"
POP = "minigrad.autograd.ready.pop"
WALK = "minigrad.autograd.engine.run_backward"

# ── count_dependencies ───────────────────────────────────────────────────────────────────────────


@mistake(
    COUNT,
    zh="同一个节点伸出的两条边，你只算了一条。y * y 有两条边通向 y 的节点，要等两份梯度，所以数的是边，不是邻居。",
    en="You count two edges from the same node as one. y * y has two edges to the node of y and sends it two gradients: count edges, not neighbours.",
)
def counts_neighbours(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent in {target for target, _ in stack.pop().next_functions if target is not None}:
            if parent not in counts:
                counts[parent] = 0
                stack.append(parent)
            counts[parent] += 1
    return counts


@mistake(
    COUNT,
    zh="一个节点每被碰到一次，你就把它的边又数一遍。每个节点的边只数一次：只在头一回见到它时放进待办。",
    en="Every time a node is met, its edges are counted again. Each node's edges count once: put it on the list only when it is met for the first time.",
)
def counts_ways(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, _ in stack.pop().next_functions:
            if parent is not None:
                counts[parent] = counts.get(parent, 0) + 1
                stack.append(parent)
    return counts


@mistake(
    COUNT,
    zh="每个节点你都记成 1。用了几次，就有几条边通向它，也就要等几份梯度。",
    en="You give each node a 1. However many times a value was used, that many edges lead to its node, and it waits for that many gradients.",
)
def always_one(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, _ in stack.pop().next_functions:
            if parent is not None and parent not in counts:
                counts[parent] = 1
                stack.append(parent)
    return counts


@mistake(
    COUNT,
    zh="碰到一条通向 None 的边，后面的边你就不看了。跳过这一条，接着看下一条。",
    en="At an edge that leads to None you stop, and the edges after it are never looked at. Skip that one and go on with the next.",
)
def stops_at_none(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, _ in stack.pop().next_functions:
            if parent is None:
                break
            if parent not in counts:
                counts[parent] = 0
                stack.append(parent)
            counts[parent] += 1
    return counts


@mistake(
    COUNT,
    zh="根从 1 数起了。没有边通向根的时候，它等的是 0 份梯度，否则永远轮不到它，整张图都不会走。",
    en="You start the roots at 1. A root that no edge leads to waits for 0 gradients; otherwise its turn never comes, and nothing is walked at all.",
)
def roots_start_at_one(roots: Any) -> dict[Any, int]:
    own = count_dependencies(roots)
    return {node: count + (node in roots) for node, count in own.items()}


@mistake(
    COUNT,
    zh="根一律记成 0。可是一个根也会在另一个根的下游，那时同样有边通向它，它也要等。",
    en="You always give roots 0. But one root may lie downstream of another; then edges lead to it as well, and it has to wait.",
)
def roots_always_zero(roots: Any) -> dict[Any, int]:
    return count_dependencies(roots) | dict.fromkeys(roots, 0)


@mistake(
    COUNT,
    zh="你只数了从根直接伸出的边。新碰到的节点也要放进待办，再从它往下数，直到没有新节点。",
    en="Only the edges that start at the roots are counted. A node that is new goes on the list too, and its edges are counted in turn, until there are no new ones.",
)
def only_the_first_step(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    for node in list(counts):
        for parent, _ in node.next_functions:
            if parent is not None:
                counts[parent] = counts.get(parent, 0) + 1
    return counts


@mistake(
    COUNT,
    zh="你用了递归，图一深，Python 的栈就不够了。把待办的节点放进一个列表，用 while 一个一个取出来。",
    en="This recurses, and for a deep graph Python's stack is too small. Keep the nodes to do in a list and take them out one by one in a while loop.",
)
def counts_by_recursion(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)

    def visit(node: Any) -> None:
        for parent, _ in node.next_functions:
            if parent is not None:
                new = parent not in counts
                counts[parent] = counts.get(parent, 0) + 1
                if new:
                    visit(parent)

    for root in list(counts):
        visit(root)
    return counts


# ── pop ──────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    POP,
    zh="方向反了：你取的是最早记录的。最晚记录的先走，它的 order 最小。",
    en="The other way round: this takes the one recorded first. The one recorded last goes next; its order is the smallest.",
)
def takes_the_earliest(heap: Any) -> Any:
    node = max(heap, key=lambda each: each.order)
    heap.remove(node)
    return node


@mistake(
    POP,
    zh="你取了列表里的最后一个，也就是最后进来的。进来的先后不算数，要看记录的先后。",
    en="This takes the list's last entry, the one that came in last. When they came in does not matter, only when they were recorded.",
)
def takes_the_last_in(heap: Any) -> Any:
    return heap.pop()


@mistake(
    POP,
    zh="你取了列表里的第一个，却没有管剩下的。取走一个之后，第一个不一定还是最晚记录的：每次都要重新找。",
    en="This takes the first entry and leaves the rest as it is. Once one is gone, the first need not be the one recorded last any more: look for it every time.",
)
def takes_the_first_entry(heap: Any) -> Any:
    return heap.pop(0)


@mistake(
    POP,
    zh="节点之间的先后对了，叶子的 AccumulateGrad 却排在了最后。它的 order 比谁都小，应当最先。",
    en="Among operations the order is right, but a leaf's AccumulateGrad comes last. Its order is smaller than any other's, so it goes first.",
)
def leaves_last(heap: Any) -> Any:
    node = min(heap, key=lambda each: (not each.next_functions, each.order))
    heap.remove(node)
    return node


@mistake(
    POP,
    zh="最晚记录的找对了，取走时却把整个列表清空了，别的节点再也轮不到。只拿走这一个。",
    en="You found the right one, but emptied the whole list with it, and the others never get their turn. Take out only that one.",
)
def empties_the_queue(heap: Any) -> Any:
    node = min(heap, key=lambda each: each.order)
    heap.clear()
    return node


# ── run_backward ─────────────────────────────────────────────────────────────────────────────────


def _walk(
    buffers: Any,
    keep: bool,
    create: bool,
    task: Any,
    waiting: Any = None,
    arrive: Any = None,
    shared: Any = None,
    take: Any = pop,
    put: Any = push,
    counts_nothing: bool = True,
    every_root: bool = False,
) -> None:
    """The walk as it should be; each mistake changes one thing."""
    if waiting is None:
        waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: Any = deque() if put is deque.append else []
    for root in buffers:
        if every_root or not waiting[root]:
            put(ready, root)
    while ready:
        node = take(ready)
        grad = buffers.pop(node, None)
        for (parent, output), result in zip(node.next_functions, run_node(node, grad, keep, create, task)):  # noqa: B905
            if parent is None:
                continue
            if result is not None:
                held = buffers.get(parent)
                if held is None:
                    same = result is grad if shared is None else shared
                    buffers[parent] = parent.receive(result, output, same)
                else:
                    buffers[parent] = (arrive or merge)(parent, held, result, output)
            elif not counts_nothing:
                continue
            waiting[parent] -= 1
            if not waiting[parent]:
                put(ready, parent)


@mistake(
    WALK,
    zh="两份梯度相遇时，后到的盖掉了先到的。一个值用了几处，各处的梯度要加起来。",
    en="Where two gradients meet, the later one overwrites the earlier. The gradients from all the places where a value was used have to be added.",
)
def overwrites(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def replace(node: Any, held: Any, grad: Any, output: int) -> Any:
        return node.receive(grad, output, True)

    _walk(buffers, retain_graph, create_graph, task, arrive=replace)


@mistake(
    WALK,
    zh="先到的留下了，后到的丢了。一个值用了几处，各处的梯度要加起来，一份都不能少。",
    en="The gradient that arrives first is kept, later ones are dropped. The gradients from all the places where a value was used have to be added, every one of them.",
)
def keeps_the_first(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def keep(node: Any, held: Any, grad: Any, output: int) -> Any:
        return held

    _walk(buffers, retain_graph, create_graph, task, arrive=keep)


@mistake(
    WALK,
    zh="梯度一到，节点就走了，没有等齐：用了两次的值走了两遍，钩子每次见到的都不完整。等 waiting 减到 0 才放进队列。",
    en="A node runs as soon as a gradient arrives: what was used twice runs twice, and each time hooks see only part of the gradient. Queue it only when waiting has come down to 0.",
)
def does_not_wait(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    if task is not None:
        task.plan(count_dependencies(buffers))
    ready = list(buffers)
    while ready:
        node = pop(ready)
        grad = buffers.pop(node, None)
        for (parent, output), result in zip(node.next_functions, run_node(node, grad, True, create_graph, task)):  # noqa: B905
            if parent is not None:
                if result is not None:
                    held = buffers.get(parent)
                    first = held is None
                    buffers[parent] = parent.receive(result, output, True) if first else held + result
                if parent not in ready:
                    push(ready, parent)


@mistake(
    WALK,
    zh="你用了递归：沿着每条路各走一遍，路有几条就走几遍；图一深，Python 的栈也不够。要等齐了再走，用队列和循环。",
    en="This recurses: it goes down every path separately, and a deep graph exhausts Python's stack. Wait for all gradients, with a queue and a loop.",
)
def walks_by_recursion(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    if task is not None:
        task.plan(count_dependencies(buffers))

    def visit(node: Any, grad: Any) -> None:
        for (parent, output), result in zip(node.next_functions, run_node(node, grad, True, create_graph, task)):  # noqa: B905
            if parent is not None and result is not None:
                visit(parent, parent.receive(result, output, True))

    for root, grad in list(buffers.items()):
        visit(root, grad)
    buffers.clear()


@mistake(
    WALK,
    zh="梯度都对，但先来的先走，钩子的次序就和 torch 不同了。就绪的节点里要取最晚记录的：放进去用 push，取出来用 pop，缺一样都不行。",
    en="The gradients are right, but it is first come, first served, so hooks fire in a different order from torch's. Of the ready nodes take the one recorded last: put them in with push and take them out with pop; one without the other won't do.",
)
def first_come_first_served(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, retain_graph, create_graph, task, take=deque.popleft, put=deque.append)


@mistake(
    WALK,
    zh="梯度都对，但最后进来的最先走，钩子的次序就和 torch 不同了。列表自己的 pop() 不看记录的先后，用引擎的 push 和 pop。",
    en="The gradients are right, but it is last in, first out, so hooks fire in a different order from torch's. A list's own pop() doesn't care when a node was recorded; use the engine's push and pop.",
)
def last_in_first_out(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, retain_graph, create_graph, task, take=list.pop, put=list.append)


@mistake(
    WALK,
    zh="所有的根都直接放进了队列。一个根若在另一个根的下游，就还有梯度要等：只放 waiting 为 0 的。",
    en="All roots go straight into the queue. A root downstream of another still has gradients to wait for: queue only those whose waiting is 0.",
)
def queues_every_root(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, retain_graph, create_graph, task, every_root=True)


@mistake(
    WALK,
    zh="传来的是 None 时，你没有把 waiting 减 1，那个节点就一直等下去了。没有梯度也是一个答复，照样要减。",
    en="When None arrives, you don't lower waiting, and that node waits for ever. That there is none is an answer too, and counts.",
)
def waits_for_ever(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, retain_graph, create_graph, task, counts_nothing=False)


@mistake(
    WALK,
    zh="两个叶子的 .grad 成了同一个数组，改一个，另一个也变。加法把同一份梯度交给两边，要如实告诉 receive：result is grad。",
    en="Two leaves share one array as their .grad; change one and the other changes. Addition hands the same gradient to both sides; tell receive so: result is grad.",
)
def says_nothing_is_shared(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, retain_graph, create_graph, task, shared=False)


@mistake(
    WALK,
    zh="retain_graph 没有往下传，保存的值一个也没有释放。把它原样交给 run_node。",
    en="retain_graph is not passed on, and no saved value is ever freed. Hand it to run_node as it came.",
)
def frees_nothing(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, True, create_graph, task)


@mistake(
    WALK,
    zh="保存的值总是被释放，要了 retain_graph 也一样。把它原样交给 run_node，别写死成 False。",
    en="Saved values are always freed, retain_graph or not. Hand it to run_node as it came, not as a fixed False.",
)
def frees_always(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    _walk(buffers, False, create_graph, task)


@mistake(
    WALK,
    zh="有 task 的时候，要先 task.plan(waiting) 一次，它才知道该走哪些节点；走每个节点时，还要把 task 传给 run_node。少了哪一步，autograd.grad 都什么也拿不到。",
    en="Where there is a task, call task.plan(waiting) once; only then does it know which nodes to run. And run_node has to be given task every time. Without either, autograd.grad gets nothing.",
)
def forgets_the_plan(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    if task is not None:
        task.plan = lambda reachable: None
    _walk(buffers, retain_graph, create_graph, task)


@mistake(
    WALK,
    zh="你只顺着第一条边走了。一个节点有几个输入，就有几条边；通向节点的，每条都要送到。",
    en="Only the first edge is followed. A node has an edge for each of its inputs, and every one that leads to a node has to be served.",
)
def follows_the_first_edge(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    if task is not None:
        task.plan(count_dependencies(buffers))
    while buffers:
        node = next(iter(buffers))
        grad = buffers.pop(node)
        edges = zip(node.next_functions, run_node(node, grad, retain_graph, create_graph, task))  # noqa: B905
        for (parent, output), result in edges:
            if parent is not None and result is not None:
                buffers[parent] = parent.receive(result, output, True)
                break
