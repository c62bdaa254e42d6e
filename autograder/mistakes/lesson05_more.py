"""Known mistakes of lesson 05, continued: counts that never leave the roots, walks that stop or tidy nothing away."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson05 import COUNT, WALK, _walk
from minigrad.autograd.engine import count_dependencies, merge, run_backward, run_node
from minigrad.autograd.ready import pop, push


@mistake(
    COUNT,
    zh="字典里只有根，还记成了 1。没有边通向的根记 0；再顺着根的边往下走，走到的每个节点也要放进字典，记下通向它的边数。",
    en="Your dict holds nothing but the roots, and with a 1. A root that no edge leads to gets 0; then follow its edges: each node you come to belongs in the dict too, with the number of edges that lead to it.",
)
def each_root_a_one(roots: Any) -> dict[Any, int]:
    return dict.fromkeys(roots, 1)


@mistake(
    COUNT,
    zh="根记成 0，没错，可字典里只有根。顺着它们的边往下走：每见到一条边，就给它通向的节点加 1，新节点也要接着往下看。",
    en="The roots have their 0, but they are all there is in your dict. Follow their edges: for every edge you see, add 1 to the node it leads to, and look at the edges of each new node in turn.",
)
def never_leaves_the_roots(roots: Any) -> dict[Any, int]:
    return dict.fromkeys(roots, 0)


@mistake(
    COUNT,
    zh="你返回了空字典。从根开始：counts = dict.fromkeys(roots, 0)，再顺着边往里添。",
    en="You return an empty dict. Begin with the roots, counts = dict.fromkeys(roots, 0), and add to it along the edges.",
)
def counts_nothing(roots: Any) -> dict[Any, int]:
    return {}


@mistake(
    WALK,
    zh="buffers 里的梯度你只看了一眼，没有拿走：走完以后它们全都还在，内存一直占着。用 buffers.pop(node, None)。",
    en="You only look at a node's gradient and don't take it out of buffers: when the walk is over all of them are still there, and so is the memory they take. Use buffers.pop(node, None).",
)
def looks_without_taking(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    kept = _NeverLess(buffers)
    run_backward(kept, retain_graph, create_graph, task)
    buffers.update(kept)


class _NeverLess(dict[Any, Any]):
    """A dict from which nothing can be taken."""

    def pop(self, key: Any, default: Any = None) -> Any:
        return self.get(key, default)


@mistake(
    WALK,
    zh="buffers 空了你就停，可 ready 里还有节点。有的节点收到的全是 None，在 buffers 里什么也没有，但也得走，后面的节点才等得到。循环的条件是 ready 不空。",
    en="You stop as soon as buffers is empty, while ready still holds nodes. One to which nothing but None has come has no entry in buffers, and yet it must run, or those behind it wait for ever. Loop while ready.",
)
def stops_with_the_gradients(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def take(ready: Any) -> Any:
        if not buffers:
            raise StopIteration  # the loop's condition was `buffers`
        return pop(ready)

    with suppress(StopIteration):
        _walk(buffers, retain_graph, create_graph, task, take=take)


@mistake(
    WALK,
    zh="见到一条通向 None 的边，你就 break 了，它后面的边再也没有人管。跳过这一条，接着看下一条：continue。",
    en="At an edge that leads to None you break, and the edges after it get nothing. Skip that one and go on with the next: continue.",
)
def breaks_at_none(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
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
        for (parent, output), result in zip(node.next_functions, results, strict=False):
            if parent is None:
                break
            if result is not None:
                held = buffers.get(parent)
                if held is None:
                    buffers[parent] = parent.receive(result, output, result is grad)
                else:
                    buffers[parent] = merge(parent, held, result, output)
            waiting[parent] -= 1
            if not waiting[parent]:
                push(ready, parent)


# ── Left too early, kept nowhere ───────────────────────────────────────────────────────────────────────


@mistake(
    COUNT,
    zh="next_functions 里每一对的第二个数，说的是这条边接在那个节点的第几个输出上，不是条数。一条边就加 1，不管那个数是几。",
    en="The second item of each pair in next_functions says which output of that node the edge leads to; it is no count. Every edge adds 1, whatever that number is.",
)
def adds_the_number_of_the_output(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, number in stack.pop().next_functions:
            if parent is not None:
                if parent not in counts:
                    counts[parent] = 0
                    stack.append(parent)
                counts[parent] += number
    return counts


@mistake(
    COUNT,
    zh="return 缩进到了 while 循环里面：看过一个节点就走了，待办的都没有轮到。",
    en="return is indented into the while loop: you leave after the first node, and those still to do never get their turn.",
)
def returns_after_one_node(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    for parent, _ in list(counts)[-1].next_functions:
        if parent is not None:
            counts[parent] = counts.get(parent, 0) + 1
    return counts


@mistake(
    COUNT,
    zh="roots[0] 是按位置取，可 roots 不是列表，引擎给的是字典；根也可能不止一个。用 for root in roots，或者 dict.fromkeys(roots, 0)。",
    en="roots[0] asks for a position, but roots is no list: the engine hands you a dict, and there may be several roots. Write for root in roots, or dict.fromkeys(roots, 0).",
)
def takes_roots_for_a_list(roots: Any) -> dict[Any, int]:
    return {roots[0]: 0}


@mistake(
    WALK,
    zh="parent.receive(…) 的结果你没有存下来：它只告诉你该存什么，要写 buffers[parent] = parent.receive(…)。merge 也一样。",
    en="You do not keep what parent.receive(…) returns: it only says what to keep. Write buffers[parent] = parent.receive(…), and the same with merge.",
)
def keeps_nothing_that_it_receives(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready: list[Any] = []
    for root in buffers:
        if not waiting[root]:
            push(ready, root)
    while ready:
        node = pop(ready)
        results = run_node(node, buffers.pop(node, None), retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results, strict=False):
            if parent is not None:
                if result is not None and parent in buffers:
                    buffers[parent] = merge(parent, buffers[parent], result, output)
                waiting[parent] -= 1
                if not waiting[parent]:
                    push(ready, parent)


@mistake(
    WALK,
    zh="try 把 run_node 报的错吞掉了：值已经释放、钩子出错，用的人都不会知道。不要 try，让错误从 backward() 冒出来。",
    en="Your try swallows the errors of run_node: that values have been freed, or that a hook failed, nobody ever learns. Leave the try out, and let errors surface from backward().",
)
def swallows_errors(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    try:
        run_backward(buffers, retain_graph, create_graph, task)
    except Exception:
        buffers.clear()


@mistake(
    COUNT,
    zh="你往 roots 里写了东西。引擎交来的就是 buffers，起点的梯度被你盖掉了：另起一个字典，counts = dict.fromkeys(roots, 0)。",
    en="You wrote into roots. What the engine hands you is buffers itself, and the gradients to start with are gone: make a dict of your own, counts = dict.fromkeys(roots, 0).",
)
def counts_in_the_roots(roots: Any) -> Any:
    roots |= count_dependencies(dict.fromkeys(roots))
    return roots


@mistake(
    WALK,
    zh="每来一份梯度，你就把节点放进队列一次，它会走好几遍。等 waiting 减到 0 再放，只放一次。",
    en="You queue a node each time a gradient arrives, so it runs several times. Queue it once, when its waiting has come down to 0.",
)
def queues_at_every_gradient(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready = [root for root in buffers if not waiting[root]]
    while ready:
        node = pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results, strict=False):
            if parent is None:
                continue
            if result is not None:
                held = buffers.get(parent)
                same = result is grad
                buffers[parent] = (
                    merge(parent, held, result, output) if held is not None else parent.receive(result, output, same)
                )
            waiting[parent] -= 1
            push(ready, parent)


@mistake(
    WALK,
    zh="什么也没收到的节点，你跳过了；它的下家还在等它的答复，永远等不到。照样让它走：run_node 收得下 None。",
    en="You skip a node that received nothing, and those after it wait for its answer for ever. Let it run all the same: run_node takes None.",
)
def skips_who_got_nothing(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def take(ready: Any) -> Any:
        while (node := pop(ready)) not in buffers:
            if not ready:
                raise StopIteration  # the loop's condition was `ready`
        return node

    with suppress(StopIteration):
        _walk(buffers, retain_graph, create_graph, task, take=take)


@mistake(
    WALK,
    zh="交给 receive 和 merge 的该是边上写的编号（next_functions 里每一对的第二个数，或 node.number(i)），不是这条边排第几。",
    en="What receive and merge want is the number on the edge (the second of each pair in next_functions, or node.number(i)), not the edge's own place.",
)
def gives_the_edges_place(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready = [root for root in buffers if not waiting[root]]
    while ready:
        node = pop(ready)
        grad = buffers.pop(node, None)
        for place, (parent, result) in enumerate(
            zip(node.parents, run_node(node, grad, retain_graph, create_graph, task), strict=False)
        ):
            if parent is None:
                continue
            if result is not None and parent in buffers:
                buffers[parent] = merge(parent, buffers[parent], result, place)
            elif result is not None:
                buffers[parent] = parent.receive(result, place, result is grad)
            waiting[parent] -= 1
            if not waiting[parent]:
                push(ready, parent)


@mistake(
    WALK,
    zh="merge(…) 只是把和返回，没有人替你存。写 buffers[parent] = merge(…)。",
    en="merge(…) only returns the sum; nobody keeps it for you. Write buffers[parent] = merge(…).",
)
def keeps_no_sum(buffers: Any, retain_graph: bool, create_graph: bool, task: Any = None) -> None:
    def drop(node: Any, held: Any, grad: Any, output: int) -> Any:
        merge(node, held, grad, output)
        return held

    _walk(buffers, retain_graph, create_graph, task, arrive=drop)


@mistake(
    COUNT,
    zh="通向 None 的边你也数了。那里没有节点在等，跳过去：if parent is None: continue。",
    en="You count the edges that lead to None, too. No node waits there; pass them by: if parent is None: continue.",
)
def counts_none(roots: Any) -> dict[Any, int]:
    counts = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for parent, _ in stack.pop().next_functions:
            if parent not in counts:
                counts[parent] = 0
                if parent is not None:
                    stack.append(parent)
            counts[parent] += 1
    return counts
