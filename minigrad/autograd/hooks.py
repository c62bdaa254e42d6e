"""Hooks: the user's functions that the walk calls with gradients.

A tensor's hooks are stored on the node its gradient arrives at (its grad_fn, or the AccumulateGrad of a leaf), next to
the node's own hooks. They run in torch's order: tensor hooks as registered, then retain_grad, then the node's
pre-hooks, then the rule, for a leaf the post-accumulate hooks, then the node's post-hooks.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor, from_array
from .accumulate import ALONE, gradient_edge, holders
from .grad_mode import set_grad_enabled
from .graph import NO_EDGE, Node, SeveralOutputs

_ids = itertools.count().__next__


class RemovableHandle:
    """What registering a hook returns: remove() takes the hook out again; `with handle:` does so at the end."""

    def __init__(self, hooks: dict[int, Any]) -> None:
        self.id = _ids()
        self._hooks = weakref.ref(hooks) if isinstance(hooks, HookDict) else lambda: hooks

    def remove(self) -> None:
        """Take the hook out; doing so twice is harmless."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class HookDict(dict[int, Any]):
    """Hooks by id, in the order of registration; weakly referable, so that a handle does not keep them alive."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Register one more hook, as the last or as the first."""
        later = list(self) if prepend else ()
        handle = RemovableHandle(self)
        self[handle.id] = hook
        for key in later:
            self[key] = self.pop(key)
        return handle


class Retained:
    """A tensor whose gradient retain_grad() asked for. at: at which of its nodes, counted from the first.

    A view whose base was written to has another node. torch makes that, and has it retain from then on, when it is first
    used; here it is there at once, and until something holds it the older one retains.
    """

    __slots__ = ("tensor", "at")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = weakref.ref(tensor)
        self.at = 0

    def takes(self, node: Node, place: int, tensor: Tensor) -> bool:
        """Whether what arrives at a node, the tensor's number `place`, is its gradient. A newer node in use
        ends the older ones' turn."""
        edge: Any = tensor._edge
        if type(edge) is tuple and (edge[0] is node or in_use(edge)):
            self.at = place if edge[0] is node else -1
        return place == self.at


class Extras:
    """What few nodes have: tensor hooks and retain_grad by output number, the node's own hooks, a leaf's post-accumulate
    hooks, the user's metadata, the forward call's trace (anomaly mode), saved values that a user's hooks keep (packed).

    leaf: what the leaf's AccumulateGrad had in earlier graphs. The hooks of the leaf itself stay, those of the node are gone.
    """

    __slots__ = ("tensor", "retain", "pre", "post", "accumulated", "metadata", "trace", "packed")

    def __init__(self, leaf: Extras | None = None) -> None:
        self.tensor: dict[int, HookDict] = {} if leaf is None else leaf.tensor
        self.retain: dict[int, tuple[Retained, int]] = {}  # with a number that counts the tensor's nodes
        self.pre = HookDict()
        self.post = HookDict()
        self.accumulated: HookDict = HookDict() if leaf is None else leaf.accumulated
        self.metadata: dict[str, Any] = {}
        self.trace: Any = None
        self.packed = False

    def of_output(self, output: int) -> HookDict:
        """The tensor hooks of one output."""
        return self.tensor.setdefault(output, HookDict())


def extras_of(node: Node | None) -> Extras:
    """The node's extras, created on first use; a leaf hands its own hooks on to its AccumulateGrad in every later graph. A view
    made under no_grad has no node, so its hooks are never called."""
    if node is None:
        return Extras()
    if node.extras is None:
        node.extras = Extras()
        variable = getattr(node, "variable", None)
        if variable is not None:
            variable._hooks = node.extras
    return node.extras


def run_pre_hooks(node: Node, grad: Any, create_graph: bool, runs: bool = True) -> Any:
    """Let tensor hooks, retain_grad and node pre-hooks see, and perhaps replace, the gradient at a node.

    runs: False if the gradient only arrives and the node does not run; then its pre-hooks do not run either.
    """
    hooks: Extras = node.extras
    if not (hooks.tensor or hooks.retain or hooks.pre):
        return grad
    with set_grad_enabled(create_graph):
        return _pre_hooks(node, hooks, grad, create_graph, runs)


def _pre_hooks(node: Node, hooks: Extras, grad: Any, create_graph: bool, runs: bool) -> Any:
    grads: list[Any] = [None if g is None else _wrap(g, create_graph) for g in _by_output(node, grad)]
    for output, of_tensor in list(hooks.tensor.items()):
        grads[output] = run_tensor_hooks(of_tensor, grads[output])
    for output, (retained, place) in hooks.retain.items():
        tensor, shown = retained.tensor(), grads[output]
        if tensor is not None and shown is not None and retained.takes(node, place, tensor):
            keep_grad(tensor, shown)
    for hook in list(hooks.pre.values()) if runs else ():
        grads = list(_replaced(hook, hook(tuple(grads)), tuple(grads)))
    grads = [None if g is None else _unwrap(g, create_graph) for g in grads]
    if not any(g is not None for g in grads):
        return None
    return grads if type(grad) is list else grads[0]


def in_use(edge: Any) -> bool:
    """Whether anything but a tensor holds the node of the tensor's edge."""
    return holders([edge[0]])[0] > ALONE + 1


def _by_output(node: Node, grad: Any) -> list[Any]:
    """The gradients that have arrived at a node, by output; None where none has."""
    return grad if type(grad) is list else [grad] if grad is not None else [None] * node.outputs


def run_tensor_hooks(hooks: HookDict, grad: Tensor) -> Tensor:
    """Show a gradient to each hook, in the order of registration; what one returns takes the gradient's place.

    hooks: {id: function}. A hook that returns None leaves the gradient as it is. The next hook, and the walk, get what
    the last replacement was. A hook may remove itself, or another, while it runs.
    Example: hooks double and then add 1, grad = [3.] → [7.]
    """
    for hook in list(hooks.values()):
        replacement = hook(grad)
        if replacement is not None:
            check_replacement(hook, replacement, grad)
            grad = replacement
    return grad


def keep_grad(tensor: Tensor, grad: Tensor) -> None:
    """What retain_grad() asks for: the gradient of a tensor that is no leaf goes into its `.grad` as well.

    grad: what the hooks have left. It travels on, so `.grad` needs a copy; later ones are added out of place.
    Example: tensor.grad = None, grad = [2.] → tensor.grad = [2.]; once more → [4.], in a new tensor
    """
    tensor._grad = grad.clone() if tensor._grad is None else tensor._grad + grad


def run_post_hooks(node: Node, results: Any, grad: Any, create_graph: bool) -> Any:
    """Let the node's post-hooks see (grad_inputs, grad_outputs); a leaf's post-accumulate hooks see the leaf."""
    hooks: Extras = node.extras
    if not (hooks.post or hooks.accumulated):
        return results
    with set_grad_enabled(create_graph):
        return _post_hooks(node, hooks, results, grad, create_graph)


def _post_hooks(node: Node, hooks: Extras, results: Any, grad: Any, create_graph: bool) -> Any:
    if hooks.accumulated:
        run_accumulated(node, hooks)
    if hooks.post:
        outputs = tuple(None if g is None else _wrap(g, create_graph) for g in _by_output(node, grad))
        inputs = tuple(None if r is None else _wrap(r, create_graph) for r in results)
        for hook in list(hooks.post.values()):
            inputs = _replaced(hook, hook(inputs, outputs), inputs)
        results = tuple(None if r is None else _unwrap(r, create_graph) for r in inputs)
    return results


def run_accumulated(node: Any, hooks: Extras) -> None:
    """Show a leaf to its post-accumulate hooks."""
    seen = leaf = node.variable
    for hook in list(hooks.accumulated.values()):
        found = hook(seen)
        if found is not None and found is not seen:
            check_replacement(hook, found, seen)
            seen = found  # torch passes it to the next hook, and raises once all have run
    if seen is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def run_by_hand(node: Any, grads: tuple[Any, ...]) -> Any:
    """Apply a node to Tensors, or None, outside of a walk: its rule alone, and what a leaf does once it has accumulated."""
    if len(grads) != node.outputs:
        raise TypeError(f"expected {node.outputs} arguments, got {len(grads)} instead")
    for place, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"argument {place} is not a Variable")
    if not any(grad is not None for grad in grads):
        results = node.apply_missing(True)
    else:
        results = node.apply_graph(list(grads) if isinstance(node, SeveralOutputs) else grads[0])
    if node.extras is not None and node.extras.accumulated:
        run_accumulated(node, node.extras)
    return results[0] if len(results) == 1 else results


def check_replacement(hook: Callable[[Any], Any], replacement: Any, grad: Tensor | None) -> None:
    """Raise an error for a replacement that is not a tensor, or has another shape, dtype or device; and for any replacement
    where no gradient has arrived."""
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not hasattr(replacement, "_edge"):
        raise TypeError(f"expected Variable, but hook returned '{type(replacement).__name__}'")
    name = getattr(hook, "__name__", type(hook).__name__)
    if replacement.dtype is not grad.dtype or replacement.device != grad.device:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {grad.type()} got {replacement.type()})")
    if tuple(replacement.shape) != tuple(grad.shape):
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def _wrap(grad: Any, create_graph: bool) -> Any:
    return grad if create_graph or hasattr(grad, "_edge") else from_array(grad)


def _unwrap(grad: Any, create_graph: bool) -> Any:
    """What the walk passes on; a view, for whoever returned the tensor may hold it: a leaf copies what it doesn't own."""
    return grad if create_graph else grad._data[...]


def _replaced(hook: Callable[..., Any], result: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of a node after one of its hooks: the tuple it returned, checked, or what they were before."""
    if result is None:
        return before
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(before):
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(result)}, but expected {len(before)})"
        )
    for new, old in zip(result, before, strict=True):
        if new is not None:
            check_replacement(hook, new, old)
    return result


def register_tensor_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> RemovableHandle:
    """Tensor.register_hook: the hook is stored on the node the tensor's gradient arrives at."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if hasattr(tensor._edge, "error"):
        return unread_hooks(tensor._edge).add(hook)
    node, output = gradient_edge(tensor)
    return extras_of(node).of_output(output).add(hook)


def unread_hooks(edge: Any) -> HookDict:
    """The hooks of a view that a write to its base has invalidated. The first to be registered is refused, as it is only
    for it that torch asks where the edge leads; those that follow are kept, though no walk comes by."""
    if edge.hooks is None:
        node, output = edge.before or NO_EDGE
        held = None if node is None or node.extras is None else node.extras.tensor.get(output)
        edge.hooks = HookDict() if held is None else held
        if held is None:
            edge.refuse()
    return edge.hooks


def tensor_hooks(tensor: Tensor) -> HookDict:
    """The hooks of a tensor, by id; none for a view that a write to its base has invalidated."""
    node, output = NO_EDGE if hasattr(tensor._edge, "error") else gradient_edge(tensor)
    return HookDict() if node is None or node.extras is None else node.extras.tensor.get(output, HookDict())


def register_post_accumulate_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> RemovableHandle:
    """Tensor.register_post_accumulate_grad_hook: hook(leaf) is called once its `.grad` holds the new sum.

    Example: w.register_post_accumulate_grad_hook(seen.append); (2 * w).backward() → seen is [w], and w.grad was 2 by then
    """
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    node, _ = gradient_edge(tensor)
    return extras_of(node).accumulated.add(hook)


def retain_grad(tensor: Tensor) -> None:
    """Tensor.retain_grad: nothing to do for a leaf, whose `.grad` is filled anyway."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf:
        extras_of(tensor.grad_fn).retain[tensor.output_nr] = Retained(tensor), 0
