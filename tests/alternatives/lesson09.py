"""Other right ways to write lesson 09's parts."""

from collections import defaultdict

from alternatives import alternative
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.hooks import check_replacement, extras_of

RUN = "minigrad.autograd.hooks.run_tensor_hooks"
REMOVE = "minigrad.autograd.hooks.RemovableHandle.remove"
KEEP = "minigrad.autograd.hooks.keep_grad"
POST = "minigrad.autograd.hooks.register_post_accumulate_hook"
CHOOSE = "minigrad.autograd.engine.nodes_to_run"


@alternative(RUN)
def by_number(hooks, grad):
    for _, hook in sorted(hooks.items()):
        shown = hook(grad)
        if shown is None:
            continue
        check_replacement(hook, shown, grad)
        grad = shown
    return grad


@alternative(RUN)
def by_copy(hooks, grad):
    for hook in tuple(dict(hooks).values()):
        before, after = grad, hook(grad)
        grad = before if after is None else after
        if grad is not before:
            check_replacement(hook, grad, before)
    return grad


@alternative(REMOVE)
def by_asking_first(self):
    hooks = self._hooks()
    if hooks is not None and self.id in hooks:
        del hooks[self.id]


@alternative(REMOVE)
def by_trying(self):
    try:
        del self._hooks()[self.id]
    except (KeyError, TypeError):
        pass


@alternative(KEEP)
def by_if(tensor, grad):
    if tensor._grad is None:
        tensor._grad = grad.clone()
    else:
        tensor._grad = grad + tensor._grad


@alternative(KEEP)
def by_product(tensor, grad):
    old = tensor._grad
    tensor._grad = grad * 1.0 if old is None else old.add(grad)


@alternative(POST)
def leaf_first(tensor, hook):
    if not tensor.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return extras_of(gradient_edge(tensor)[0]).accumulated.add(hook)


@alternative(POST)
def through_the_view(tensor, hook):
    """Finds the collector as a learner of lesson 02 would."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.grad_fn is None:
        collector = tensor.view_as(tensor).grad_fn.next_functions[0][0]
        return extras_of(collector).accumulated.add(hook)
    raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")


@alternative(CHOOSE)
def until_nothing_changes(reachable, targets):
    needed, grown = set(), True
    while grown:
        more = {n for n in reachable if any(p in targets or p in needed for p, _ in n.next_functions)}
        grown, needed = more != needed, more
    return needed


@alternative(CHOOSE)
def by_set(reachable, targets):
    needed = set()
    for node in sorted(reachable, key=lambda node: -node.order):
        if {parent for parent, _ in node.next_functions} & (targets | needed):
            needed |= {node}
    return needed


@alternative(CHOOSE)
def upwards_from_the_targets(reachable, targets):
    """Turns the edges round, and needs no order."""
    users = defaultdict(list)
    for node in reachable:
        for parent in node.parents:
            users[parent].append(node)
    needed, todo = set(), list(targets)
    while todo:
        for node in users[todo.pop()]:
            if node not in needed:
                needed.add(node)
                todo.append(node)
    return needed
