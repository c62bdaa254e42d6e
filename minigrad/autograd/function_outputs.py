"""Turns what a custom Function's forward returned into outputs of its node, and stores what it saved for backward.

Forward runs without recording, so its results have no history yet, or a wrong one. An input that is returned becomes a
view of itself; an input that was changed in place gets the node as its history; and a view made inside must not be
written to, because that would bypass the user's backward.
"""

from __future__ import annotations

from typing import Any

from ..errors import warn
from ..tensor import Tensor
from .function_node import BackwardNode, differentiable, meta_of
from .graph import NO_EDGE, save_result
from .recording import observers, show_observers
from .views import CUSTOM, SEVERAL, VIEW_OF_LEAF, InvalidEdge, View, refused

LEAF_USED = "a leaf Variable that requires grad has been used in an in-place operation."
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed "
    "to ctx.mark_dirty()."
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view "
    "(using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: "
    "one doing the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the "
    "forum https://discuss.pytorch.org/ if you need help to do this change."
)
SAVED_AS_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you override "
    "setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
    "forward function itself."
)


def attach(node: BackwardNode, args: tuple[Any, ...], result: Any, recorded: bool, separate: bool) -> Any:
    """The outputs of a custom Function with `node` as their history; anything but tensors is returned unchanged.

    separate: whether setup_context saved the tensors; it has seen what forward returned.
    """
    outs = result if isinstance(result, tuple) else (result,)
    node.outputs = len(outs)  # type: ignore[misc]
    node.metas = [meta_of(o) for o in outs]
    node.shape = tuple([meta and meta.shape for meta in node.metas])
    inputs = [a for a in args if isinstance(a, Tensor)]
    dirty = take_marked(node, "dirty_tensors", "mark_dirty can only accept variables")
    for written in dirty:
        written.bump_version()
    constant = take_marked(node, "non_differentiable", "mark_non_differentiable only accepts variable arguments")
    if not all(is_among(d, outs) for d in dirty):
        raise RuntimeError(NOT_RETURNED)
    to_save = node.attributes.pop("to_save", ())
    # Where a gradient would be wanted but is not, what is returned is a detached tensor, not the input.
    as_is = [
        t for t in to_save if t is not None and is_among(t, inputs) and is_among(t, outs) and not is_among(t, dirty)
    ]
    if separate and not all(t.requires_grad and (not recorded or is_among(t, constant)) for t in as_is):
        raise RuntimeError(SAVED_AS_IS)
    fresh = list(outs)
    for index, out in enumerate(outs):
        if isinstance(out, Tensor):
            wanted = recorded and out._data.dtype.kind == "f" and not is_among(out, constant)
            fresh[index] = output(node, index, out, is_among(out, inputs), is_among(out, dirty), wanted)
    if sum(map(differentiable, fresh)) > 1:
        for out in fresh:
            if getattr(out, "_view", None) is not None:
                out._view = out._view.refusing(SEVERAL)
    if recorded:
        save(node, to_save, fresh)
    for out in fresh:
        if is_among(out, dirty):
            update_base(out, fresh)
    return tuple(fresh) if isinstance(result, tuple) else fresh[0]


def take_marked(node: BackwardNode, name: str, complaint: str) -> tuple[Any, ...]:
    """The tensors that were passed to ctx under this name, removed from it; RuntimeError for anything else."""
    tensors = node.attributes.pop(name, None) or ()
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise RuntimeError(f"{complaint}, but argument {place} is of type {type(tensor).__name__}")
    return tuple(tensors)


def is_among(value: Any, tensors: Any) -> bool:
    """Whether a value is one of the tensors itself."""
    return any(value is t for t in tensors)


def output(node: BackwardNode, index: int, out: Tensor, given: bool, dirty: bool, wanted: bool) -> Tensor:
    """One output tensor: the tensor itself if forward created it or changed it in place, a view of it if forward returned
    an input. wanted: whether its history is the node."""
    view = getattr(out, "_view", None)
    if dirty and wanted:
        check_dirty(node, out, view, given)
        if not given and view is not None:
            raise RuntimeError(NOT_AN_INPUT)
        if not given:
            warn(NOT_AN_INPUT)
    if not wanted and out.requires_grad and given:
        return out.detach()
    if given and not dirty:
        from ..ops.layout import view_as  # the operations build on this module

        out = view_as(out, out)
        view = out._view
    elif not wanted and view is None and out._edge is not NO_EDGE:
        out._edge = NO_EDGE
    if view is not None and not dirty:
        out._view = view.refusing(CUSTOM)
    if wanted and dirty:
        from ..ops.inplace import set_history

        set_history(out, (node, index))
    elif wanted:
        out._edge = (node, index)
    if wanted:
        out._grad = None
    return out


def check_dirty(node: BackwardNode, out: Tensor, view: View | None, given: Any) -> None:
    """RuntimeError if forward has written to a tensor that it must not: a leaf, a view when there are other outputs, a view
    that may not be written to, or a view of a leaf. given: whether it is an input."""
    if out.requires_grad and not out._computed:
        raise RuntimeError(LEAF_USED)
    if view is not None and node.outputs > 1:
        raise RuntimeError(DIRTY_VIEW)
    if view is not None and view.refusal and (given or out.requires_grad):
        raise refused(out)
    if view is not None and out.requires_grad and view.base.is_leaf:
        raise RuntimeError(VIEW_OF_LEAF)


def save(node: BackwardNode, to_save: tuple[Any, ...], outs: list[Any]) -> None:
    """Turn the tensors of save_for_backward into saved values; outputs without a reference cycle through the node."""
    saved: list[Any] = []
    for tensor in to_save:
        place = next((i for i, o in enumerate(outs) if o is tensor is not None and o._edge == (node, i)), None)
        saved.append(tensor if place is None else save_result(tensor, place))
    node.saved = tuple(saved)
    versions = tuple([0 if v is None or v._counter is None else v._counter.version for v in saved])
    if any(versions):
        node.versions = versions
    if observers:
        show_observers(node, tuple([out for out in outs if isinstance(out, Tensor)]))


def update_base(out: Tensor, outs: list[Any]) -> None:
    """After a write by a Function, update the history of a view's base, and of the other views that are none of its outputs."""
    from ..ops.inplace import refresh_views, rewrite_base

    view: View | None = getattr(out, "_view", None)
    recorded = out.requires_grad and out._computed and type(out._edge) is not InvalidEdge
    if view is not None and recorded:
        rewrite_base(out, view)
    if out._counter is not None and out._counter.views:
        others = [view for view in out._counter.views if not is_among(view(), outs)]
        refresh_views(others, out if recorded else None)
