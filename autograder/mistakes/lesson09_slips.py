"""More known mistakes of lesson 09: hooks called twice or thrown away, values put nowhere, refusals exchanged, nodes
looked for along every way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson09 import CHOOSE, KEEP, NO_GRADIENT, NO_LEAF, POST, REMOVE, RUN
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.hooks import check_replacement, extras_of


def _run(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="钩子都运行对了，最后却没有 return grad：引擎接着往下送的就成了 None。",
    en="The hooks run as they should, but return grad is missing at the end, and the engine sends None on.",
)
def forgets_to_return(hooks: Any, grad: Any) -> None:
    _run(hooks, grad)


@mistake(
    RUN,
    zh="你另起了一个变量，从 None 开始：没有钩子换过的时候，还回去的就是 None。从 grad 开始，换一次就替掉 grad。",
    en="You began with None in a variable of your own, which is what comes back if no hook replaces anything. Begin with grad, and let each replacement take its place.",
)
def begins_with_none(hooks: Any, grad: Any) -> Any:
    last = None
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            last = replacement
    return last


@mistake(
    RUN,
    zh="一个钩子返回 None，你就停了，后面的都没有运行。None 只是“不改”：接着看下一个。",
    en="When a hook returns None you stop, and the hooks after it never run. None only means that nothing changes: go on with the next.",
)
def stops_at_the_first_none(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is None:
            break
        check_replacement(hook, replacement, grad)
        grad = replacement
    return grad


@mistake(
    RUN,
    zh="每个钩子调用了不止一次：问一遍，换的时候又调用一遍。钩子里有打印、有计数，多一次就看得见。先把结果存下来。",
    en="You call each hook more than once: once to see what it returns, and again to use it. Hooks print and count, so that shows. Call it once and keep the result.",
)
def calls_them_again(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        if hook(grad) is not None:
            check_replacement(hook, hook(grad), grad)
            grad = hook(grad)
    return grad


@mistake(
    RUN,
    zh="检查晚了一步：grad 已经换成了新的，再拿新的和它自己比，当然总是合格。先检查，再换。",
    en="The check comes too late: by then grad is already the new one, and is compared with itself, which always fits. Check first, then replace.",
)
def checks_it_against_itself(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            grad = replacement
            check_replacement(hook, replacement, grad)
    return grad


@mistake(
    RUN,
    zh="运行过的钩子被你从字典里取走了，下一次反向就没有钩子了。只看，不取：list(hooks.values())。",
    en="You take hooks out of the dict once they have run, so the next backward finds none. Only look at them: list(hooks.values()).",
)
def uses_them_up(hooks: Any, grad: Any) -> Any:
    grad = _run(hooks, grad)
    hooks.clear()
    return grad


@mistake(
    RUN,
    zh="字典里循环出来的是编号，不是函数。函数在 hooks.values() 里。",
    en="Looping over the dict gives the numbers, not the functions. The functions are in hooks.values().",
)
def calls_the_numbers(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks):
        replacement = hook(grad)
        if replacement is not None:
            grad = replacement
    return grad


# ── remove ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    REMOVE,
    zh="self._hooks 后面少了括号：它是一个引用，调用它才给出字典。写 self._hooks()。",
    en="The brackets are missing after self._hooks: it is a reference, and only calling it gives you the dict. Write self._hooks().",
)
def does_not_call_the_reference(self: Any) -> None:
    if self._hooks is not None:
        self._hooks.pop(self.id, None)


@mistake(
    REMOVE,
    zh="编号还在字典里，只是换成了 None，引擎照样去调用它。把编号整个取走：pop(self.id, None)。",
    en="The number is still in the dict, with None as its function, and the engine tries to call that. Take the number out altogether: pop(self.id, None).",
)
def puts_none_in_its_place(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None and self.id in hooks:
        hooks[self.id] = None


@mistake(
    REMOVE,
    zh="直接 del，只有第一次行得通：再取一次就是 KeyError，张量没了就是 TypeError。先看 self._hooks() 是不是 None，再用 pop(self.id, None)。",
    en="A plain del works the first time only: the second is a KeyError, and with the tensor gone a TypeError. See whether self._hooks() is None, then use pop(self.id, None).",
)
def deletes_without_asking(self: Any) -> None:
    del self._hooks()[self.id]


# ── keep_grad ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    KEEP,
    zh="梯度自己的历史断掉了：detach 和 no_grad 都会剪断它。create_graph=True 时留下的梯度还要能再求导，只用 grad.clone() 就好。",
    en="The gradient's own history is cut off, as detach and no_grad do. Under create_graph=True what is kept can be differentiated again: use grad.clone() and neither of the two.",
)
def detaches_what_it_keeps(tensor: Any, grad: Any) -> None:
    kept = grad.detach().clone()
    tensor._grad = kept if tensor._grad is None else tensor._grad + kept


@mistake(
    KEEP,
    zh="什么也没有写进 tensor._grad：返回的东西引擎不看，放进自己的变量也没有用。写 tensor._grad = …。",
    en="You wrote nothing to tensor._grad: the engine does not look at what you return, and a variable of your own is of no use. Write tensor._grad = ….",
)
def keeps_it_nowhere(tensor: Any, grad: Any) -> Any:
    return grad.clone() if tensor._grad is None else tensor._grad + grad


@mistake(
    KEEP,
    zh="or、not 问的是张量的真假，好几个数的张量没有真假可言。有没有梯度，问 is None。",
    en="or and not ask whether a tensor is true, and a tensor of several numbers is neither true nor false. To see whether there is a gradient, use is None.",
)
def asks_whether_it_is_true(tensor: Any, grad: Any) -> None:
    tensor._grad = (tensor._grad or 0) + grad


# ── register_post_accumulate_hook ────────────────────────────────────────────────────────────────


def _refuse(tensor: Any, first: str = NO_GRADIENT, second: str = NO_LEAF) -> None:
    if not tensor.requires_grad:
        raise RuntimeError(first)
    if tensor.grad_fn is not None:
        raise RuntimeError(second)


def _node(tensor: Any) -> Any:
    return gradient_edge(tensor)[0]


@mistake(
    POST,
    zh="两句拒绝的话放反了：不要梯度的说 doesn't require gradient，有 grad_fn 的说 non-leaf。",
    en="The two messages are swapped: doesn't require gradient is for tensors that want none, non-leaf for those with a grad_fn.",
)
def exchanges_the_refusals(tensor: Any, hook: Any) -> Any:
    _refuse(tensor, NO_LEAF, NO_GRADIENT)
    return extras_of(_node(tensor)).accumulated.add(hook)


@mistake(
    POST,
    zh="条件反了：grad_fn 是 None 的才是叶子，你把叶子拒绝了。",
    en="The condition is the wrong way round: a tensor whose grad_fn is None is a leaf, and you are refusing the leaves.",
)
def refuses_the_leaves(tensor: Any, hook: Any) -> Any:
    if tensor.grad_fn is None:
        raise RuntimeError(NO_LEAF)
    return extras_of(_node(tensor)).accumulated.add(hook)


@mistake(
    POST,
    zh="gradient_edge 给的是一对，你把整对当成了节点。写 node, _ = gradient_edge(tensor)。",
    en="gradient_edge returns a pair, and you took the whole pair for the node. Write node, _ = gradient_edge(tensor).",
)
def takes_the_pair_for_the_node(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    edge: Any = gradient_edge(tensor)
    return extras_of(edge).accumulated.add(hook)


@mistake(
    POST,
    zh="叶子没有 grad_fn，那里是 None。叶子的节点要问 gradient_edge(tensor)。",
    en="A leaf has no grad_fn; it is None. Ask gradient_edge(tensor) for a leaf's node.",
)
def asks_for_its_grad_fn(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    return extras_of(tensor.grad_fn).accumulated.add(hook)


# ── nodes_to_run ─────────────────────────────────────────────────────────────────────────────────


def _leading(reachable: Iterable[Any], reaches: Any) -> set[Any]:
    needed: set[Any] = set()
    for node in sorted(reachable, key=lambda each: each.order, reverse=True):
        if reaches(node, needed):
            needed.add(node)
    return needed


@mistake(
    CHOOSE,
    zh="你用了递归：图一深就是 RecursionError，记下走过的节点也没用；不记，路一多还慢得出奇。按记录的先后看，通向的那些早已判断好，查一下就行。",
    en="You use recursion: a deep graph raises RecursionError, even if you remember the nodes that you have seen; and if you don't, many paths take for ever. In the order of recording, the nodes that a node leads to are already decided and only need to be looked up.",
)
def looks_by_recursion(reachable: Iterable[Any], targets: Any) -> set[Any]:
    def leads(node: Any) -> bool:
        return any(parent is not None and (parent in targets or leads(parent)) for parent in node.parents)

    return {node for node in reachable if leads(node)}


@mistake(
    CHOOSE,
    zh="目标你一个也没有选：不是跳过了，就是最后减掉了。可是一个目标下面若还有别的目标，它就得运行，梯度才到得了那里。",
    en="You never choose a target: either you skip it or you take it out at the end. But a target with another target below it has to run, or the gradient never gets to that one.",
)
def takes_the_targets_out(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return _leading(reachable, lambda node, needed: any(p in targets or p in needed for p in node.parents)) - set(
        targets
    )


@mistake(
    CHOOSE,
    zh="你要求每条边都通向目标。有一条通得到就该运行，是 any，不是 all。",
    en="You require every edge to lead to a target. One is enough: any, not all.",
)
def wants_every_edge(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return _leading(reachable, lambda node, needed: all(p in targets or p in needed for p in node.parents))


@mistake(
    CHOOSE,
    zh="你选出来的是目标自己。要选的是通向它们的节点：看每个节点的 parents 里有没有目标，或者已经选中的。",
    en="You chose the targets themselves. Choose the nodes that lead to them: see whether a target, or a node already chosen, is among a node's parents.",
)
def chooses_the_targets(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return {node for node in reachable if node in targets}


@mistake(
    RUN,
    zh="你把返回的梯度写进了原来的张量里。那个张量别人也拿着：前面的钩子也许留下了它，加法还把它给了另一边。不要改它，让名字 grad 指向 replacement。",
    en="You write the returned gradient into the tensor that arrived. Others hold that tensor: an earlier hook may have kept it, and an addition gave it to its other input, too. Leave it alone, and let the name grad stand for the replacement.",
)
def writes_into_what_came(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad.copy_(replacement)
    return grad


@mistake(
    RUN,
    zh="钩子返回 None 时你也拿去检查了，check_replacement 自然不认。先问 replacement is not None，有返回才检查。",
    en="You check what a hook returned even when it is None, and check_replacement refuses that. First ask whether replacement is not None.",
)
def examines_none(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        check_replacement(hook, replacement, grad)
        if replacement is not None:
            grad = replacement
    return grad


@mistake(
    POST,
    zh="你返回的是钩子自己。用户要的是句柄，好把钩子取下来：return add(hook) 给出的那个。",
    en="You return the hook itself. The user needs the handle, to take the hook off again: return what add(hook) returns.",
)
def returns_the_hook(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    extras_of(_node(tensor)).accumulated.add(hook)
    return hook


@mistake(
    KEEP,
    zh="第一个梯度没有复制，后来的又原地加了进去：别人手里的同一个张量跟着变。第一个用 grad.clone()，后来的写成 tensor._grad + grad，得到一个新的。",
    en="The first gradient is not copied, and later ones are added in place, so the same tensor changes in other hands. Use grad.clone() for the first, and tensor._grad + grad, which is a new one, for the others.",
)
def shares_and_adds_in_place(tensor: Any, grad: Any) -> None:
    if tensor._grad is None:
        tensor._grad = grad
    else:
        tensor._grad += grad


@mistake(
    KEEP,
    zh="第一次来的时候，tensor._grad 还是 None，没有东西可加。先问是不是 None：是，就放一份副本。",
    en="The first time, tensor._grad is still None, and there is nothing to add to. Ask whether it is None; if so, put a copy there.",
)
def adds_to_nothing(tensor: Any, grad: Any) -> None:
    tensor._grad += grad


@mistake(
    RUN,
    zh="你返回的是最后一个钩子给的 replacement；它若什么也没返回，那就是 None。要返回的是换到最后的 grad。",
    en="You return what the last hook gave, which is None if it gave nothing. Return grad as the hooks have left it.",
)
def returns_the_replacement(hooks: Any, grad: Any) -> Any:
    replacement = grad
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return replacement


@mistake(
    KEEP,
    zh="tensor._grad 没有变：给别的名字赋值没有用，== 也只是比较。写 tensor._grad = …。",
    en="tensor._grad has not changed: assigning to another name is of no use, and == only compares. Write tensor._grad = ….",
)
def keeps_it_under_another_name(tensor: Any, grad: Any) -> None:
    kept = grad.clone() if tensor._grad is None else tensor._grad + grad  # noqa: F841 - that nobody reads it is the mistake
