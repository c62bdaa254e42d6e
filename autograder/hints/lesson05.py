"""Hints of lesson 05."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.engine.count_dependencies": (
        (
            "在 y = x * x 里，x 的 AccumulateGrad 会收到几份梯度？这个数写在图的哪里？",
            "In y = x * x, how many gradients will the AccumulateGrad of x receive? Where in the graph does that number show?",
        ),
        (
            "给每个节点记一个数，根从 0 起。从根出发走遍图，每看到一条边，就给它通向的节点加 1；每个节点的边只看一遍。",
            "Keep a number for each node, starting the roots at 0. From the roots, go through the graph; for every edge you see, add 1 to the node "
            "it leads to. Look at each node's edges only once.",
        ),
        (
            "counts = dict.fromkeys(roots, 0)，stack = list(counts)。只要 stack 不空：取出一个，看它的 next_functions；parent 是 None 就跳过，"
            "已经在 counts 里就加 1，不在就记 1 并放进 stack。最后返回 counts。",
            "counts = dict.fromkeys(roots, 0) and stack = list(counts). While stack is not empty: take one out and go through its next_functions; "
            "skip a parent that is None; one already in counts gets 1 more; a new one gets 1 and goes on the stack. At the end return counts.",
        ),
    ),
    "minigrad.autograd.ready.pop": (
        (
            "几个节点都不用再等了。torch 先走哪一个？在第 4 节的输出里找答案。",
            "Several nodes have nothing left to wait for. Which does torch take first? The output in section 4 has the answer.",
        ),
        (
            "最晚记录的先走，也就是 order 最小的那个。找到它，从列表里拿掉，再返回它。",
            "The one recorded last, which is the one with the smallest order. Find it, take it out of the list, and return it.",
        ),
        (
            "node = min(heap, key=lambda each: each.order)，然后 heap.remove(node)，最后返回 node。",
            "node = min(heap, key=lambda each: each.order), then heap.remove(node), and return node.",
        ),
    ),
    "minigrad.autograd.engine.run_backward": (
        (
            "一个节点什么时候可以走？走完之后，它的每个 parent 会有哪两样东西改变？",
            "When may a node run? And once it has run, which two things change for each of its parents?",
        ),
        (
            "先数边，把不用等的根放进队列。然后循环：取出一个节点，拿走它的梯度，用 run_node 得到每条边的结果；"
            "对每条边，把结果加进 buffers[parent]，给 waiting[parent] 减 1，减到 0 就放进队列。",
            "Count the edges, and queue the roots with nothing to wait for. Then loop: take out a node, fetch its gradient, get one result for each edge "
            "from run_node; for each edge add the result to buffers[parent], lower waiting[parent] by 1, and queue the parent once that is 0.",
        ),
        (
            "循环里面：node = pop(ready)，grad = buffers.pop(node, None)，results = run_node(node, grad, retain_graph, create_graph, task)。"
            "对 zip(node.next_functions, results) 里的 (parent, output), result：parent 是 None 就跳过；result 不是 None 时，parent 在 buffers 里就用 merge，"
            "不在就用 parent.receive(result, output, result is grad)；不管 result 是什么，waiting[parent] 都减 1，为 0 就 push(ready, parent)。",
            "Inside the loop: node = pop(ready), grad = buffers.pop(node, None), results = run_node(node, grad, retain_graph, create_graph, task). "
            "For each (parent, output), result of zip(node.next_functions, results): skip if parent is None; where result is not None, use merge if parent is in buffers "
            "and parent.receive(result, output, result is grad) if not; whatever result is, lower waiting[parent] by 1, and push(ready, parent) when it is 0.",
        ),
    ),
}
