"""Known mistakes of lesson 09: hooks called in the wrong order or not heard, handles that remove too much or nothing,
gradients kept without a copy, nodes that run though nobody asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograder.mistakes import mistake
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.hooks import check_replacement, extras_of

RUN = "minigrad.autograd.hooks.run_tensor_hooks"
REMOVE = "minigrad.autograd.hooks.RemovableHandle.remove"
KEEP = "minigrad.autograd.hooks.keep_grad"
POST = "minigrad.autograd.hooks.register_post_accumulate_hook"
CHOOSE = "minigrad.autograd.engine.nodes_to_run"

NO_GRADIENT = "cannot register a hook on a tensor that doesn't require gradient"
NO_LEAF = "post accumulate grad hooks cannot be registered on non-leaf tensors"

# ── run_tensor_hooks ─────────────────────────────────────────────────────────────────────────────


@mistake(
    RUN,
    zh="钩子都调用了，返回值却没有用上。它返回的不是 None，就要顶替原来的梯度。",
    en="The hooks are called, but what they return is thrown away. Unless it is None, it takes the gradient's place.",
)
def ignores_replacements(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        hook(grad)
    return grad


@mistake(
    RUN,
    zh="顺序反了：先登记的先运行。",
    en="The wrong order: first registered, first called.",
)
def runs_them_backwards(hooks: Any, grad: Any) -> Any:
    for hook in reversed(list(hooks.values())):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="每个钩子看到的都是最初的梯度，前一个的改动丢了。后面的要接着前面的结果。",
    en="Every hook sees the original gradient, so whatever the hook before it changed is lost. Each should get the result of the one before.",
)
def shows_the_first_to_all(hooks: Any, grad: Any) -> Any:
    result = grad
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            result = replacement
    return result


@mistake(
    RUN,
    zh="返回 None 的意思是“不改”，你却拿 None 当了梯度。",
    en='A returned None means "no change", but it was taken for the gradient.',
)
def takes_none_for_a_gradient(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        grad = hook(grad)
    return grad


@mistake(
    RUN,
    zh="只运行了第一个钩子：return 写进了循环里。",
    en="Only the first hook runs: the return stands inside the loop.",
)
def returns_too_early(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
        return grad
    return grad


@mistake(
    RUN,
    zh="用 or 或 if replacement 问的是张量的真假，多于一个元素就报错，恰好为 0 时又会被当成没有返回。要问 is not None。",
    en="`or`, and `if replacement`, ask for a tensor's truth, which raises for several elements and takes a 0 for nothing returned. Ask `is not None`.",
)
def asks_for_its_truth(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        grad = hook(grad) or grad
    return grad


@mistake(
    RUN,
    zh="返回的东西没有检查：形状不对的梯度也放行了，到了别处才出错，谁也看不懂。先 check_replacement。",
    en="You do not check what comes back: a gradient of the wrong shape travels on and fails somewhere else, where nobody understands why. Call check_replacement first.",
)
def checks_nothing(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="钩子可以在运行时删掉自己，字典在循环中变了大小就报错。先抄一份：list(hooks.values())。",
    en="A hook may remove itself while it runs, and a dict must not change its size during a loop. Make a list first: list(hooks.values()).",
)
def walks_the_living_dict(hooks: Any, grad: Any) -> Any:
    for hook in hooks.values():
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="你把钩子返回的梯度加到了原来的上面。它是顶替，不是累加。",
    en="What a hook returns is added to the gradient. It replaces it.",
)
def adds_replacements(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = grad + replacement
    return grad


@mistake(
    RUN,
    zh="check_replacement 只管报错，什么也不返回，你却拿它的结果当了梯度。有返回时才检查，顶替的是 replacement。",
    en="check_replacement only raises, and returns nothing, yet its result was taken for the gradient. Check only what was returned; that is what takes over.",
)
def takes_what_the_check_returns(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        grad = check_replacement(hook, replacement, grad)  # type: ignore[func-returns-value]
    return grad


# ── RemovableHandle.remove ───────────────────────────────────────────────────────────────────────


@mistake(
    REMOVE,
    zh="什么也没有删掉，钩子还在运行。",
    en="Nothing was taken out: the hook goes on running.",
)
def removes_nothing(self: Any) -> None:
    self.id = None


@mistake(
    REMOVE,
    zh="你把所有的钩子都删了。句柄只管自己那一个：按 self.id 拿走。",
    en="You removed all the hooks. A handle stands for just one of them: remove self.id.",
)
def removes_all(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None:
        hooks.clear()


@mistake(
    REMOVE,
    zh="你总是删掉最后登记的那个，而不是这个句柄对应的那个。",
    en="You always remove the hook registered last, not the one this handle stands for.",
)
def removes_the_last(self: Any) -> None:
    hooks = self._hooks()
    if hooks:
        hooks.popitem()


@mistake(
    REMOVE,
    zh="再删一次就报 KeyError。删两次应当无害：pop(self.id, None)。",
    en="Removing once more raises KeyError. Twice should do no harm: pop(self.id, None).",
)
def fails_the_second_time(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None:
        del hooks[self.id]


@mistake(
    REMOVE,
    zh="张量没了，self._hooks() 给出 None，这时没有什么要删的，也不该报错。",
    en="Once the tensor is gone, self._hooks() gives None; then there is nothing to remove, and no reason to raise.",
)
def needs_a_living_tensor(self: Any) -> None:
    self._hooks().pop(self.id, None)


@mistake(
    REMOVE,
    zh="只想到了最顺利的情形。张量没了，self._hooks() 给出 None；已经删过一次，pop(self.id) 又会报 KeyError。两种都不该报错。",
    en="You thought only of the smoothest case. Once the tensor is gone self._hooks() gives None, and a second pop(self.id) raises KeyError. Neither should be an error.",
)
def pops_without_asking(self: Any) -> None:
    self._hooks().pop(self.id)


# ── keep_grad ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    KEEP,
    zh="新的盖掉了旧的。retain_grad 的 .grad 也是累加的。",
    en="The new one overwrites the old. The .grad of retain_grad accumulates, too.",
)
def overwrites_what_was_kept(tensor: Any, grad: Any) -> None:
    tensor._grad = grad.clone()


@mistake(
    KEEP,
    zh="没有复制：这个梯度还要往下走，y.grad 和别人共用一份内存，改一个，另一个也变。第一次用 grad.clone()。",
    en="You made no copy: the gradient travels on, and y.grad shares its memory with others; write to one and the other changes. Use grad.clone() the first time.",
)
def keeps_no_copy(tensor: Any, grad: Any) -> None:
    tensor._grad = grad if tensor._grad is None else tensor._grad + grad


@mistake(
    KEEP,
    zh="你在旧的 .grad 上原地相加。叶子是这样，retain_grad 却每次给一个新张量，拿着旧的人读到的不变。",
    en="You added to the old .grad in place. That is what leaves do; retain_grad makes a new tensor each time, and the old one stays as it was.",
)
def adds_in_place_to_it(tensor: Any, grad: Any) -> None:
    if tensor._grad is None:
        tensor._grad = grad.clone()
    else:
        tensor._grad += grad


@mistake(
    KEEP,
    zh="只留下了第一次的，后来的没有加上去。",
    en="Only the first is kept; later ones are not added.",
)
def keeps_the_first_only(tensor: Any, grad: Any) -> None:
    if tensor._grad is None:
        tensor._grad = grad.clone()


@mistake(
    KEEP,
    zh="光赋值，错了两处：旧的被盖掉了，该累加；又没有复制，和别人共用一份内存。",
    en="A bare assignment is wrong twice over: it overwrites the old gradient instead of adding to it, and it makes no copy, so memory is shared.",
)
def assigns_and_no_more(tensor: Any, grad: Any) -> None:
    tensor._grad = grad


# ── register_post_accumulate_hook ────────────────────────────────────────────────────────────────


@mistake(
    POST,
    zh="钩子运行得太早：.grad 还没有写好。你把它登记成了普通的张量钩子，收到的是梯度，不是叶子。该挂在 extras_of(node).accumulated 上。",
    en="The hook runs too early: .grad is not written yet. You registered it as an ordinary tensor hook, which gets the gradient, not the leaf. It belongs in extras_of(node).accumulated.",
)
def makes_it_a_tensor_hook(tensor: Any, hook: Any) -> Any:
    if not tensor.requires_grad:
        raise RuntimeError(NO_GRADIENT)
    if tensor.grad_fn is not None:
        raise RuntimeError(NO_LEAF)
    node, output = gradient_edge(tensor)
    return extras_of(node).of_output(output).add(hook)


@mistake(
    POST,
    zh="不是叶子的张量也让登记了。它没有 AccumulateGrad，钩子永远等不到，或者到了反向才出错。当场拒绝。",
    en="You accepted a tensor that is not a leaf. It has no AccumulateGrad, so its hook would wait for ever, or fail during backward. Refuse it on the spot.",
)
def lets_any_tensor_in(tensor: Any, hook: Any) -> Any:
    if not tensor.requires_grad:
        raise RuntimeError(NO_GRADIENT)
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(hook)


@mistake(
    POST,
    zh="不要梯度的张量没有拒绝：它的边是 (None, 0)，没有节点可以挂。先看 requires_grad。",
    en="You did not refuse a tensor that wants no gradient: its edge is (None, 0), and there is no node to hang a hook on. Look at requires_grad first.",
)
def lets_data_in(tensor: Any, hook: Any) -> Any:
    if tensor.grad_fn is not None:
        raise RuntimeError(NO_LEAF)
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(hook)


@mistake(
    POST,
    zh="没有把句柄还给用户，他就没法再取下这个钩子。return add(...) 给出的那一个。",
    en="You do not return the handle, so nobody can take the hook off again. Return what add(...) returns.",
)
def forgets_the_handle(tensor: Any, hook: Any) -> None:
    if not tensor.requires_grad:
        raise RuntimeError(NO_GRADIENT)
    if tensor.grad_fn is not None:
        raise RuntimeError(NO_LEAF)
    node, _ = gradient_edge(tensor)
    extras_of(node).accumulated.add(hook)


# ── nodes_to_run ─────────────────────────────────────────────────────────────────────────────────


@mistake(
    CHOOSE,
    zh="所有节点都运行了：没有人问的叶子也写了 .grad，别的分支的钩子也响了。只选能通到目标的。",
    en="Every node runs: leaves that nobody asked about get a .grad, and hooks on other branches fire. Choose only what leads to a target.",
)
def runs_everything(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return set(reachable)


@mistake(
    CHOOSE,
    zh="只选了紧挨着目标的节点，再往上的没有选，梯度就到不了它们那里。通向已选中节点的，也要选；而且要从最早记录的看起（reverse=True），不然它通向的节点还没有定下来。",
    en="You chose only the nodes right above a target, so no gradient from further up ever gets to them. A node that leads to a chosen node must be chosen, too; and begin with the earliest recorded (reverse=True), or the nodes it leads to are not decided yet.",
)
def looks_one_step_only(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return {node for node in reachable if any(parent in targets for parent, _ in node.next_functions)}


@mistake(
    CHOOSE,
    zh="目标自己也被选中了：它不必运行，梯度到了就够了。让它运行，叶子会写 .grad，中间的节点会用掉自己保存的值。",
    en="You chose the targets themselves, but they need not run: once the gradient has arrived, it is done. If they run, a leaf writes its .grad, and a node in the middle uses up what it saved.",
)
def runs_the_targets_too(reachable: Iterable[Any], targets: Any) -> set[Any]:
    needed = set(targets)
    for node in sorted(reachable, key=lambda node: node.order, reverse=True):
        if any(parent in needed for parent, _ in node.next_functions):
            needed.add(node)
    return needed


@mistake(
    CHOOSE,
    zh="方向反了：你选的是目标下面的节点，该选的是从输出走到目标要经过的。",
    en="The wrong direction: you chose what lies below the targets; choose the nodes on the way from the output to a target.",
)
def looks_below_the_targets(reachable: Iterable[Any], targets: Any) -> set[Any]:
    below, stack = set(), [target for target in targets if target is not None]
    while stack:
        node = stack.pop()
        if node not in below:
            below.add(node)
            stack += [parent for parent, _ in node.next_functions if parent is not None]
    return below


@mistake(
    CHOOSE,
    zh="一个节点也没有选上。next_functions 里是一对一对的 (parent, number)，整对永远不在目标里，要先取出 parent；return 若写进了循环，头一圈就走了，也会这样。",
    en="You chose no node at all. next_functions holds pairs (parent, number), and a pair is never among the targets: take the parent out of it first. A return inside the loop, which ends it in the first round, looks the same.",
)
def compares_pairs(reachable: Any, targets: Any) -> Any:
    return {node for node in reachable if any(pair in targets for pair in node.next_functions)}
