"""torch.autograd: backward() and grad(), and the names that belong to them.

`backward` and `grad` turn the user's arguments into roots, gradients and a task for the walk in `engine.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from operator import index
from threading import get_ident
from typing import Any

from .. import rules
from ..backend import in_silence
from ..errors import BACKWARD_INSIDE, opening, warn
from ..tensor import Tensor, from_array
from . import anomaly, engine
from .accumulate import GradientEdge, gradient_edge
from .anomaly import detect_anomaly, set_detect_anomaly
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .graph import NO_EDGE, Edge
from .hooks import retain_grad
from .roots import check_batched, root_gradients, start
from .walk import Walk, too_deep, walks

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "grad", "gradcheck", "gradgradcheck",
    "inference_mode", "is_multithreading_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled",
]  # fmt: skip

CREATE_GRAPH_WARNING = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)

GRAD_VARIABLES = "`grad_variables` is deprecated. Use `grad_tensors` instead."
BOTH_GIVEN = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
    "`grad_tensors`."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of the "
    "graph, please use torch.autograd.backward."
)
# Names that few programs use, and their modules.
LATER = {"Function": "function", "Variable": "variable", "functional": "", "variable": ""}
_warned: list[bool] = []  # torch says it once a process
# The threads that work on one slice of a batch (func.vmap), and whether another slice follows, for which graphs are
# then retained, whatever a walk was asked. Nearly always empty, and so cheap to ask.
slicing: dict[int, bool] = {}


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to `.grad` of the leaves (torch.autograd.backward).

    grad_tensors: one gradient for each tensor, of its shape; None where the tensor has one element.
    retain_graph: keep the graph for another backward; by default as create_graph.
    inputs: accumulate into these tensors only; a dict of them will do. grad_variables: what grad_tensors was once called.
    """
    if grad_variables is not None:
        warn(GRAD_VARIABLES, FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(BOTH_GIVEN)
        grad_tensors = grad_variables
    roots = (tensors,) if type(tensors) is Tensor else _tensors(tensors)
    edges = None
    if inputs is not None:
        wanted = _inputs(inputs, "backward")
    roots, grads = _starts(roots, grad_tensors, create_graph)
    if inputs is not None:
        for tensor in wanted:
            if isinstance(tensor, Tensor):
                retain_grad(tensor)
        edges = [_input_edge(t) for t in wanted]
    if retain_graph is not None or create_graph is not False:
        retain_graph, create_graph = flag(retain_graph), bool(index(create_graph))
    if create_graph and not _warned:
        _warned.append(True)
        warn(CREATE_GRAPH_WARNING)
    in_silence(run, roots, grads, retain_graph, create_graph, edges, accumulate=True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`; no `.grad` changes (torch.autograd.grad).

    inputs: a tensor or several; for a dict of them, the gradients come back under its keys.
    grad_outputs: the v of vᵀJ. is_grads_batched: they hold several v each, along the first dimension; so do the results.
    allow_unused: None for what was not used, instead of an error; materialize_grads: zeros for it.
    """
    if type(inputs) is dict:
        found = grad(outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
                     is_grads_batched, materialize_grads)  # fmt: skip
        return dict(zip(inputs, found, strict=True))
    if not only_inputs:
        warn(ONLY_INPUTS, FutureWarning)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if is_grads_batched:
        found = _each_of_batch(
            outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused or materialize_grads
        )
        return materialized(_inputs(inputs, "grad"), found, create_graph) if materialize_grads else found
    roots = (outputs,) if type(outputs) is Tensor else _tensors(outputs)
    wanted = inputs if type(inputs) in (list, tuple) and inputs else _inputs(inputs, "grad")
    roots, grads = _starts(roots, grad_outputs, create_graph)
    if retain_graph is not None or create_graph is not False:
        retain_graph, create_graph = flag(retain_graph), bool(index(create_graph))
    if allow_unused is not None or materialize_grads is not False:
        allow_unused = flag(materialize_grads if allow_unused is None else allow_unused)
    edges = []
    for tensor in wanted:  # a comprehension would take longer, as most calls ask for one gradient or a few
        edges.append(_input_edge(tensor))
    captured = in_silence(run, roots, grads, retain_graph, create_graph, edges, accumulate=False)
    answers: list[Any] = []
    for edge in edges:
        g = captured[edge]
        if g is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {len(answers)} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if g is not None and not isinstance(g, Tensor):
            g = captured[edge] = from_array(g)  # one tensor for an input that is named twice
        answers.append(g)
    if materialize_grads:
        return materialized(wanted, answers, create_graph)
    return tuple(answers)


def flag(given: Any) -> bool | None:
    """True or False, as a number will do as well; None stays None. TypeError, in torch's words, for anything else."""
    return None if given is None else bool(index(given))


def run(
    roots: Sequence[Tensor],
    grads: Sequence[Any],
    retain_graph: bool | None,
    create_graph: bool,
    edges: list[Edge] | None,
    accumulate: bool,
) -> dict[Edge, Any]:
    """One walk; what it captured for `edges`."""
    if walks and too_deep():
        from .reentrant import in_new_thread  # needed by hardly any program

        return in_new_thread(lambda: run(roots, grads, retain_graph, create_graph, edges, accumulate))
    buffers: engine.Buffers = {}
    for root, given in zip(roots, grads):  # noqa: B905 (they are as many; to ask for that takes longer than all else here)
        edge = root._edge
        node, output = gradient_edge(root) if edge is None else edge
        assert node is not None
        held = buffers.get(node)
        buffers[node] = node.receive(given, output, True) if held is None else engine.merge(node, held, given, output)
    keep = create_graph if retain_graph is None else retain_graph
    if slicing and (me := get_ident()) in slicing:
        if accumulate:
            raise RuntimeError(BACKWARD_INSIDE)
        keep = keep or slicing[me]
    nodes = tuple(buffers)
    if not anomaly.mode.enabled:
        if edges is None:
            if not create_graph and quick_walk().run_unwatched(buffers, keep):
                return {}
        elif not accumulate and (captured := quick_walk().run_towards(edges, buffers, keep, create_graph)) is not None:
            return captured
    single_root = len(roots) == 1
    task = None
    if edges is not None or anomaly.mode.enabled:
        task = engine.Task(edges, accumulate, node if single_root else None)
    with Walk(nodes, task, single_root):
        if create_graph:
            with enable_grad():
                engine.run_backward(buffers, keep, True, task)
        else:
            engine.run_backward(buffers, keep, False, task)
    return task.captured if task else {}


@functools.cache
def quick_walk() -> Any:
    """express.py, which nobody needs before the first backward."""
    from . import express

    return express


def _tensors(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _inputs(inputs: Any, asker: str) -> tuple[Any, ...]:
    """The tensors or gradient edges that `inputs` names. asker: to which function, for the messages."""
    if not isinstance(inputs, (Tensor, list, tuple)) and isinstance(inputs, Mapping):  # which takes long to tell
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{asker}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are "
                "not supported."
            )
        inputs = tuple(inputs.values())
    found = _tensors(inputs)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{asker}()` cannot be empty.")
    return found


def materialized(wanted: Sequence[Any], found: Sequence[Any], create_graph: bool) -> tuple[Tensor, ...]:
    """The gradients that were found, and zeros for those that were not."""
    return tuple([_zeros(t, create_graph) if g is None else g for t, g in zip(wanted, found, strict=True)])


def _zeros(unused: Any, create_graph: bool) -> Tensor:
    """The gradient of an input that was not used."""
    if not isinstance(unused, Tensor):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return unused.new_zeros(unused.shape, requires_grad=create_graph)


def _starts(roots: tuple[Any, ...], given: Any, create_graph: bool) -> tuple[tuple[Any, ...], list[Any]]:
    """The roots as tensors, for the user may name gradient edges as well, and the gradient each starts with."""
    if given is None and len(roots) == 1 and type(roots[0]) is Tensor:  # nearly always
        return roots, [start(roots[0], None, 0, create_graph)]
    given = None if given is None else _tensors(given)
    for root in roots:
        if type(root) is not Tensor:
            roots = tuple([_root(r, (given or ())[i : i + 1]) for i, r in enumerate(roots)])
            break
    return roots, root_gradients(roots, given, create_graph)


def _root(root: Any, given: tuple[Any, ...]) -> Tensor:
    """A root as a tensor; given: the gradient it starts with, if one is."""
    if isinstance(root, GradientEdge):
        return root.tensor(given[0] if given else None)
    if not isinstance(root, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return root


def _each_of_batch(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool | None,
) -> tuple[Tensor | None, ...]:
    """One walk for each of the v, and what they find, stacked. (torch walks once, with all of them in each tensor.)"""
    outputs = _tensors(outputs)
    given: tuple[Any, ...] = (None,) * len(outputs) if grad_outputs is None else _tensors(grad_outputs)
    size = check_batched(outputs, given)
    keep = create_graph if retain_graph is None else retain_graph
    rows = []
    for row in range(size):
        keep_row = keep or row + 1 < size
        rows.append(grad(outputs, inputs, [g[row] for g in given], keep_row, create_graph, True, allow_unused))
    return tuple([None if col[0] is None else rules.stack(list(col), 0) for col in zip(*rows, strict=True)])


def _input_edge(tensor: Tensor | GradientEdge) -> Edge:
    if not isinstance(tensor, Tensor):
        if isinstance(tensor, GradientEdge):
            return tensor.node, tensor.output_nr
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if tensor._edge is NO_EDGE:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return gradient_edge(tensor)


__getattr__, __dir__ = opening(__name__, LATER)
