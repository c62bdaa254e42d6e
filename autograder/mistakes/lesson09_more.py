"""Known mistakes of lesson 09, continued: a hook shown something else than the gradient, a tensor that is gone, sums that
count the first twice."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson09 import KEEP, NO_GRADIENT, NO_LEAF, POST, REMOVE, RUN
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
