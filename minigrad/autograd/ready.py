"""The ready queue: of the nodes whose gradients have all arrived, the latest recorded comes first.

A binary heap that makes the same moves as libstdc++'s std::priority_queue, which torch uses. For nodes of different
sequence numbers any heap would do. But AccumulateGrad nodes all have the same number, and hooks can see their order,
which only the same moves reproduce. Nearly always the queue holds no more than one node, and nothing moves.
"""

from __future__ import annotations

from .graph import Node


def push(heap: list[Node], node: Node) -> None:
    """Add a node (std::push_heap)."""
    heap.append(node)
    if len(heap) > 2:
        rise(heap, len(heap) - 1, node)
    elif heap[0].order > node.order:
        heap.reverse()


def pop(heap: list[Node]) -> Node:
    """Take out the node with the least `order` (std::pop_heap)."""
    last = heap.pop()
    if not heap:
        return last
    top, heap[0] = heap[0], last
    if len(heap) > 1:
        sink(heap, last)
    return top


def rise(heap: list[Node], hole: int, node: Node) -> None:
    """Put a node into the hole, or above it as long as it outranks the node there."""
    order = node.order
    while hole and heap[parent := (hole - 1) // 2].order > order:
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = node


def sink(heap: list[Node], node: Node) -> None:
    """Move a node from the top to its place: the hole sinks to the bottom, from where the node rises (std::__adjust_heap)."""
    size, hole, child = len(heap), 0, 0
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if heap[child].order > heap[child - 1].order:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    rise(heap, hole, node)
