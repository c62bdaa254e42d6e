"""Hints of lesson 09."""

from __future__ import annotations

from autograder.hints import Stages

HINTS: dict[str, Stages] = {
    "minigrad.autograd.hooks.RemovableHandle.remove": (
        (
            "句柄记得自己的编号 self.id。字典里，哪一项是它的？",
            "The handle knows its number, self.id. Which entry of the dict is its own?",
        ),
        (
            "self._hooks() 给出字典；张量已经没了时给出 None。只拿走自己那一项，而且已经拿走过也不能出错。",
            "self._hooks() gives the dict, or None once the tensor is gone. Take out your own entry only, and do not fail if it has been taken already.",
        ),
        (
            "hooks = self._hooks()；不是 None 的话，hooks.pop(self.id, None)。",
            "hooks = self._hooks(); if that is not None, hooks.pop(self.id, None).",
        ),
    ),
    "minigrad.autograd.hooks.run_tensor_hooks": (
        (
            "一个钩子返回了新的梯度，下一个钩子该看到哪一个？它什么都没返回呢？",
            "A hook has returned another gradient; which one should the next hook see? And if it returned nothing?",
        ),
        (
            "按登记的顺序走一遍 hooks.values()。钩子可能在运行时删掉自己，所以先用 list(...) 抄一份。返回值是不是 None，要用 is 来问，不能问真假。",
            "Go through hooks.values() in order. A hook may remove itself while it runs, so make a list(...) of them first. Ask with `is` whether it returned None, "
            "not by whether it is true.",
        ),
        (
            "for hook in list(hooks.values())：replacement = hook(grad)；它不是 None 的话，check_replacement(hook, replacement, grad)，再 grad = replacement。最后返回 grad。",
            "for hook in list(hooks.values()): replacement = hook(grad); if it is not None, check_replacement(hook, replacement, grad) and then grad = replacement. "
            "Return grad.",
        ),
    ),
    "minigrad.autograd.hooks.keep_grad": (
        (
            "梯度还要继续往下走。你留下的这一份，别人改得到吗？",
            "The gradient travels on. Can somebody else write to the one you keep?",
        ),
        (
            "第一次留一份副本：grad.clone()。以后相加，但要造新张量，不要原地加。",
            "The first time keep a copy, grad.clone(). After that add, but into a new tensor, not in place.",
        ),
        (
            "tensor._grad 是 None 就设为 grad.clone()，否则设为 tensor._grad + grad。",
            "Where tensor._grad is None set it to grad.clone(), otherwise to tensor._grad + grad.",
        ),
    ),
    "minigrad.autograd.hooks.register_post_accumulate_hook": (
        (
            "哪两种张量没有可等的 .grad？",
            "Which two kinds of tensors have no .grad to wait for?",
        ),
        (
            "不要梯度的，和不是叶子的：各 raise 一个 RuntimeError，错误信息照说明里写的。剩下的是叶子，gradient_edge(tensor) 的第一项就是它的 AccumulateGrad。",
            "Those that want no gradient, and those that are not leaves: a RuntimeError for each, in the words of the docstring. What is left is a leaf, "
            "and the first item of gradient_edge(tensor) is its AccumulateGrad.",
        ),
        (
            "两个 if 各 raise 一次；然后 node, _ = gradient_edge(tensor)，return extras_of(node).accumulated.add(hook)。",
            "Two ifs with a raise each; then node, _ = gradient_edge(tensor) and return extras_of(node).accumulated.add(hook).",
        ),
    ),
    "minigrad.autograd.engine.nodes_to_run": (
        (
            "一个节点什么时候值得运行？看看它的 next_functions 通向哪里。",
            "When is it worth running a node? Look where its next_functions lead.",
        ),
        (
            "它的某条边直接通向目标，或者通向另一个已经选中的节点。所以要从最早记录的看起：排好序，离叶子近的先定下来。",
            "If one of its edges leads straight to a target, or to another node that is already chosen. So begin with the earliest recorded: in that order the "
            "ones nearer the leaves are decided first.",
        ),
        (
            "needed = set()；for node in sorted(reachable, key=lambda node: node.order, reverse=True)：对每条边的 parent，若 parent in targets or parent in needed，就 needed.add(node)。返回 needed。",
            "needed = set(); for node in sorted(reachable, key=lambda node: node.order, reverse=True): for the parent of each edge, if parent in targets or "
            "parent in needed, needed.add(node). Return needed.",
        ),
    ),
}
