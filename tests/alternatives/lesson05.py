"""Other right ways to write lesson 05's parts."""

import heapq
from collections import Counter
from itertools import count

from alternatives import alternative
from minigrad.autograd.engine import count_dependencies, merge, run_node
from minigrad.autograd.ready import pop, push

COUNT = "minigrad.autograd.engine.count_dependencies"
POP = "minigrad.autograd.ready.pop"
WALK = "minigrad.autograd.engine.run_backward"


@alternative(COUNT)
def nodes_first_edges_after(roots):
    """Finds all nodes, then counts all edges."""
    nodes = list(roots)
    seen = set(nodes)
    for node in nodes:
        for parent, _ in node.next_functions:
            if parent is not None and parent not in seen:
                seen.add(parent)
                nodes.append(parent)
    edges = Counter(parent for node in nodes for parent, _ in node.next_functions if parent is not None)
    return {node: edges[node] for node in nodes}


@alternative(COUNT)
def generation_by_generation(roots):
    """Level by level, each level a list of its own."""
    waiting = dict.fromkeys(roots, 0)
    level = list(waiting)
    while level:
        following = []
        for node in level:
            for edge in node.next_functions:
                if edge[0] is None:
                    continue
                if edge[0] not in waiting:
                    waiting[edge[0]] = 0
                    following.append(edge[0])
                waiting[edge[0]] += 1
        level = following
    return waiting


@alternative(POP)
def the_least(heap):
    """Looks for it every time."""
    node = min(heap, key=lambda each: each.order)
    heap.remove(node)
    return node


@alternative(POP)
def sorted_by_number(heap):
    """Sorts by torch's number, and takes the last."""
    heap.sort(key=lambda each: each._sequence_nr())
    return heap.pop()


@alternative(WALK)
def as_the_lesson_says(buffers, retain_graph, create_graph, task=None):
    """Every step in one place, nothing taken together."""
    waiting = count_dependencies(buffers)
    if task is not None:
        task.plan(waiting)
    ready = []
    for root in buffers:
        if waiting[root] == 0:
            push(ready, root)
    while ready:
        node = pop(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results):  # noqa: B905
            if parent is None:
                continue
            if result is not None:
                if parent in buffers:
                    buffers[parent] = merge(parent, buffers[parent], result, output)
                else:
                    buffers[parent] = parent.receive(result, output, result is grad)
            waiting[parent] -= 1
            if waiting[parent] == 0:
                push(ready, parent)


@alternative(WALK)
def with_pythons_heap(buffers, retain_graph, create_graph, task=None):
    """A queue by heapq, which needs a second number where nodes tie; always says that a gradient may be shared."""
    waiting, tie = count_dependencies(buffers), count()
    if task:
        task.plan(waiting)
    ready = [(root.order, next(tie), root) for root, left in waiting.items() if left == 0]
    heapq.heapify(ready)
    while ready:
        node = heapq.heappop(ready)[2]
        grad = buffers.pop(node, None)
        sent = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, sent):  # noqa: B905
            if parent is None:
                continue
            if result is not None:
                held = buffers.get(parent)
                buffers[parent] = (
                    parent.receive(result, output, True) if held is None else merge(parent, held, result, output)
                )
            waiting[parent] -= 1
            if not waiting[parent]:
                heapq.heappush(ready, (parent.order, next(tie), parent))
