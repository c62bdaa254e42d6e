"""Known mistakes of lesson 09, continued: a hook shown something else than the gradient, a tensor that is gone, sums that
count the first twice, a dict taken for a list, the answer of a check that gives none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson09 import CHOOSE, KEEP, NO_GRADIENT, NO_LEAF, POST, REMOVE, RUN
from minigrad.autograd.accumulate import gradient_edge
from minigrad.autograd.hooks import check_replacement, extras_of


def _shown(hooks: Any, grad: Any, what: Any) -> Any:
    """As it should be, but for what the hooks are shown: what(gradient)."""
    for hook in list(hooks.values()):
        replacement = hook(what(grad))
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="hooks.items() 给出的是一对一对的（编号，函数），一对东西不能调用。函数在 hooks.values() 里。",
    en="hooks.items() gives pairs of a number and a function, and a pair cannot be called. The functions alone are in hooks.values().",
)
def calls_the_pairs(hooks: Any, grad: Any) -> Any:
    for pair in list(hooks.items()):
        replacement = pair(grad)
        if replacement is not None:
            check_replacement(pair, replacement, grad)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="钩子拿到的是 detach() 过的梯度，它换上来的也就没有历史：create_graph=True 时，对梯度再求导就断在这里。把 grad 原样交给钩子。",
    en="The hooks are shown a detached gradient, so what they put in its place has no history: under create_graph=True the gradient of the gradient breaks here. Hand them grad as it is.",
)
def shows_it_detached(hooks: Any, grad: Any) -> Any:
    return _shown(hooks, grad, lambda grad: grad.detach())


@mistake(
    RUN,
    zh="半路上被别的钩子取下来的，你这一趟就跳过了。梯度到的时候挂着的，这一趟都要运行；取下来，从下一趟起才算数。",
    en="You pass over a hook that another one took off on the way. All that hang there when the gradient arrives run this time; taking one off counts from the next walk on.",
)
def passes_over_those_taken_off(hooks: Any, grad: Any) -> Any:
    for number in list(hooks):
        if number in hooks:
            grad = _shown({number: hooks[number]}, grad, lambda grad: grad)
    return grad


@mistake(
    REMOVE,
    zh="张量已经没了的时候，self._hooks() 是 None，而 None 不能用 in 去查。先看它是不是 None。",
    en="Once the tensor is gone, self._hooks() is None, and in cannot look into None. See whether it is None first.",
)
def looks_into_nothing(self: Any) -> None:
    hooks = self._hooks()
    if self.id in hooks:
        del hooks[self.id]


@mistake(
    REMOVE,
    zh="try 只挡住了 KeyError，管的是取第二次；张量没了的时候，self._hooks() 是 None，对它 del 是 TypeError。先看是不是 None，再 pop(self.id, None)，就用不着 try。",
    en="Your try catches KeyError only, which takes care of the second time; with the tensor gone, self._hooks() is None, and del on that is a TypeError. Look for None first, then pop(self.id, None): no try is needed.",
)
def catches_only_the_key_error(self: Any) -> None:
    try:
        del self._hooks()[self.id]
    except KeyError:
        pass


@mistake(
    REMOVE,
    zh="你找的是函数，把登记了两次的同一个函数两个都取下了。句柄只管自己的编号：self.id。",
    en="You look for the function, and one that was registered twice goes both times. A handle stands for its own number only: self.id.",
)
def removes_the_function_everywhere(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None and self.id in hooks:
        own = hooks[self.id]
        for number in [number for number, each in hooks.items() if each is own]:
            del hooks[number]


@mistake(
    KEEP,
    zh="第一次留下副本之后，程序又往下走，把它再加了一遍：第一份梯度算了两次。加法要写在 else 里。",
    en="After keeping a copy the first time, your program goes on and adds the gradient once more: the first one counts twice. The addition belongs in an else.",
)
def adds_the_first_twice(tensor: Any, grad: Any) -> None:
    if tensor._grad is None:
        tensor._grad = grad.clone()
    tensor._grad = tensor._grad + grad


@mistake(
    KEEP,
    zh="你留下的是数组 grad._data，可 tensor.grad 要是张量，create_graph=True 时还要带着历史。留 grad.clone()。",
    en="What you keep is the array, grad._data, but tensor.grad has to be a tensor, with its history under create_graph=True. Keep grad.clone().",
)
def keeps_an_array(tensor: Any, grad: Any) -> None:
    tensor._grad = grad._data.copy() if tensor._grad is None else tensor._grad + grad._data


def _refuse(tensor: Any) -> None:
    if not tensor.requires_grad:
        raise RuntimeError(NO_GRADIENT)
    if tensor.grad_fn is not None:
        raise RuntimeError(NO_LEAF)


@mistake(
    POST,
    zh="你把 hook(tensor) 的结果交给了 add：钩子当场就运行了，.grad 还没有，挂上去的是它返回的 None。add 要的是钩子自己：add(hook)。",
    en="You handed add the result of hook(tensor): the hook ran on the spot, with no .grad yet, and what hangs there is the None it returned. add takes the hook itself: add(hook).",
)
def calls_it_on_the_spot(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(hook(tensor))


@mistake(
    POST,
    zh="钩子挂对了地方，收到的却是梯度：你包了一层，传进去的是 p.grad。它该收到叶子本身，直接 add(hook)。",
    en="The hook hangs in the right place, but what it is given is the gradient: you wrapped it to pass p.grad on. It should get the leaf itself: simply add(hook).",
)
def hands_it_the_gradient(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(lambda p: hook(p.grad))


@mistake(
    POST,
    zh="拒绝得太晚：钩子已经挂上去了，才报的错。下一次反向就会碰上它。先把两种都拒绝掉，再登记。",
    en="The refusal comes too late: the hook hangs there by the time you raise, and the next backward runs into it. Refuse both kinds first, then register.",
)
def registers_before_refusing(tensor: Any, hook: Any) -> Any:
    node, _ = gradient_edge(tensor)
    handle = extras_of(node).accumulated.add(hook)
    _refuse(tensor)
    return handle


@mistake(
    RUN,
    zh="try 把错误都吞掉了：形状不对的梯度、出错的钩子，没有人会知道。不要 try，check_replacement 报的错要传出去。",
    en="Your try swallows every error: nobody learns of a gradient of the wrong shape or of a hook that fails. Leave the try out; what check_replacement raises has to get through.",
)
def swallows_what_is_raised(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        try:
            grad = _shown({0: hook}, grad, lambda each: each)
        except Exception:
            pass
    return grad


@mistake(
    RUN,
    zh="check_replacement 的参数次序不对。它要 (hook, replacement, grad)：哪个钩子、返回了什么、原来的梯度。",
    en="The arguments of check_replacement are in the wrong order. It takes (hook, replacement, grad): which hook, what it returned, and the gradient as it was.",
)
def checks_in_another_order(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, grad, replacement)
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="grad = check_replacement(…) 使 grad 成了 None：它只管报错，什么也不返回。让它单独占一行，再写 grad = replacement。",
    en="grad = check_replacement(…) makes grad None, for it only raises and returns nothing. Call it on a line of its own, then write grad = replacement.",
)
def replaces_by_what_the_check_returns(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            grad = check_replacement(hook, replacement, grad)  # type: ignore[func-returns-value]
    return grad


@mistake(
    RUN,
    zh="你把 check_replacement 当成了条件，可它返回 None，条件永远不成立，梯度一次也没有换。让它单独占一行，放在 if 里面。",
    en="You made a condition of check_replacement, but it returns None, so the condition never holds and no gradient is replaced. Call it on a line of its own, inside the if.",
)
def makes_a_condition_of_the_check(hooks: Any, grad: Any) -> Any:
    holds: Any = check_replacement
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None and holds(hook, replacement, grad):
            grad = replacement
    return grad


@mistake(
    RUN,
    zh="isinstance 把不是张量的返回值悄悄放过了，没有人报错。除了 None，都要交给 check_replacement：问 replacement is not None。",
    en="With isinstance, whatever is no tensor is passed over in silence. All but None must go to check_replacement: ask replacement is not None.",
)
def passes_over_what_is_no_tensor(hooks: Any, grad: Any) -> Any:
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if isinstance(replacement, type(grad)):
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


@mistake(
    REMOVE,
    zh="self._hooks 被你改成了 None，再移除一次时，它就不能调用了。取走编号就够了，self._hooks 别动。",
    en="You set self._hooks to None, so the next remove() has nothing to call. Taking the number out is enough; leave self._hooks alone.",
)
def gives_up_the_reference(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None:
        hooks.pop(self.id, None)
        self._hooks = None


@mistake(
    REMOVE,
    zh="字典的键是编号 self.id，不是句柄 self。",
    en="The keys of the dict are numbers: use self.id, not the handle itself.",
)
def looks_for_the_handle(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None:
        hooks.pop(self)


@mistake(
    REMOVE,
    zh="remove 是列表的方法，而 hooks 是字典。按键取走用 hooks.pop(self.id, None)。",
    en="remove is a list's method, and hooks is a dict. To take out a key, write hooks.pop(self.id, None).",
)
def takes_the_dict_for_a_list(self: Any) -> None:
    hooks = self._hooks()
    if hooks is not None:
        hooks.remove(self.id)


@mistake(
    KEEP,
    zh="第一次的时候，加号左边的 tensor._grad 还是 None，加不起来。是 None 就放 grad.clone()，不是 None 才相加。",
    en="The first time, the tensor._grad on the left of your + is None, and None + a tensor is an error. If it is None, put grad.clone() there; add only if it is not.",
)
def adds_none_and_a_tensor(tensor: Any, grad: Any) -> None:
    tensor._grad = tensor._grad + grad


@mistake(
    POST,
    zh="张量自己的钩子，.grad 还没写好就运行了；包上一层、把叶子传进去也没有用。用 extras_of(node).accumulated.add(hook)。",
    en="A tensor's own hook runs before .grad is written, and wrapping it so that it gets the leaf does not help. Use extras_of(node).accumulated.add(hook).",
)
def wraps_it_in_a_tensor_hook(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    return tensor.register_hook(lambda grad: hook(tensor))


@mistake(
    POST,
    zh="extras_of 要的是节点，你给了张量。节点是 gradient_edge(tensor) 返回的第一样。",
    en="extras_of wants a node, and you gave it the tensor. The node is the first of what gradient_edge(tensor) returns.",
)
def asks_the_tensor_for_extras(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    return extras_of(tensor).accumulated.add(hook)


@mistake(
    POST,
    zh="你拿到的是编号：gradient_edge 先给节点，后给编号。写 node, _ = gradient_edge(tensor)。",
    en="What you took is the number: gradient_edge gives the node first, then the number. Write node, _ = gradient_edge(tensor).",
)
def takes_the_number_for_the_node(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    node: Any = gradient_edge(tensor)[1]
    return extras_of(node).accumulated.add(hook)


@mistake(
    POST,
    zh="accumulated 不是列表，没有 append：登记用 add(hook)，它还会返回句柄。",
    en="accumulated is no list and has no append: register with add(hook), which also returns the handle.",
)
def appends_to_the_dict(tensor: Any, hook: Any) -> Any:
    _refuse(tensor)
    hooks: Any = extras_of(gradient_edge(tensor)[0]).accumulated
    return hooks.append(hook)


@mistake(
    CHOOSE,
    zh="你从目标出发，顺着 parent 往叶子走了。要的是上面通向目标的节点：对每个节点，看它的 parents 里有没有目标，或者已经选中的。",
    en="You went from the targets on towards the leaves. Wanted are the nodes above, which lead to the targets: see for each node whether a target, or a chosen node, is among its parents.",
)
def walks_on_from_the_targets(reachable: Iterable[Any], targets: Any) -> set[Any]:
    below: set[Any] = set()
    stack = list(targets)
    while stack:
        node = stack.pop()
        for parent in node.parents:
            if parent is not None and parent not in below:
                below.add(parent)
                stack.append(parent)
    return below


@mistake(
    CHOOSE,
    zh="你只看了第一个 parent，可节点的 parent 可能一个也没有，也可能有好几个。用 for 把每一个都看一遍。",
    en="You look at the first parent only, but a node may have none, or several. Look at each of them with a for loop.",
)
def looks_at_the_first_parent(reachable: Iterable[Any], targets: Any) -> set[Any]:
    needed: set[Any] = set()
    for node in sorted(reachable, key=lambda each: each.order, reverse=True):
        parent = node.parents[0]
        if parent in targets or parent in needed:
            needed.add(node)
    return needed


@mistake(
    CHOOSE,
    zh="刚选中一个节点，return 就结束了循环。把 return 放到循环外面，等所有节点都看完。",
    en="As soon as one node is chosen, your return ends the loop. Put it behind the loop, when all nodes have been looked at.",
)
def returns_with_the_first(reachable: Iterable[Any], targets: Any) -> set[Any]:
    for node in sorted(reachable, key=lambda each: each.order, reverse=True):
        if any(parent in targets for parent in node.parents):
            return {node}
    return set()


@mistake(
    REMOVE,
    zh="条件反了：hooks 是 None 的时候没有什么可取，不是 None 才能 pop。写 if hooks is not None。",
    en="The condition is the wrong way round: where hooks is None there is nothing to take out, and only a dict has a pop. Write if hooks is not None.",
)
def takes_out_where_there_is_none(self: Any) -> None:
    hooks = self._hooks()
    gone = hooks is None
    if gone:
        hooks.pop(self.id, None)


@mistake(
    POST,
    zh="拒绝时一个字也没说，用的人不知道错在哪里。两句话都写在说明里，放进 RuntimeError(…)。",
    en="Your refusals say nothing, and users cannot tell what is wrong. Both messages are in the docstring: put them into RuntimeError(…).",
)
def refuses_without_words(tensor: Any, hook: Any) -> Any:
    if not tensor.requires_grad or tensor.grad_fn is not None:
        raise RuntimeError
    return extras_of(gradient_edge(tensor)[0]).accumulated.add(hook)


@mistake(
    CHOOSE,
    zh="你选了目标以外的所有节点，通不到目标的分支也运行了。只选有 parent 是目标、或已经选中的。",
    en="You chose all nodes but the targets, so branches that lead to none of them run as well. Choose a node only if one of its parents is a target or already chosen.",
)
def takes_all_but_the_targets(reachable: Iterable[Any], targets: Any) -> set[Any]:
    return set(reachable) - set(targets)
