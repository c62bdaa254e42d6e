"""torch's answers: the only door to torch.

`T` is torch, plus what torch lacks by our names (`T.warmup.squared_loss_grad`; whole programs of ours, such as
`T.training.train_epoch`, which run on torch unchanged; `T.autograd.engine`, told from torch's graph); a check's
program cannot tell it from minigrad. `expected` runs a program on it and gives the labelled values, encoded. Used by
the referee and by the notebook's check(); never inside the sandbox, where there is no torch.
"""

from __future__ import annotations

import ast
import functools
import importlib
import types
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder import checks
from autograder.compare import compare
from autograder.errors import AutograderError
from autograder.messages import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


PROGRAMS = ("backend", "clinic", "timing", "training")  # modules of minigrad that run on torch unchanged


class Torch:
    """torch under a name of ours, imported when first used."""

    @functools.cached_property
    def _torch(self) -> Any:
        try:
            torch = importlib.import_module("torch")
        except ModuleNotFoundError as missing:
            raise AutograderError(text("no_torch"), remedy="pip install torch==2.13.0") from missing
        torch.set_num_threads(1)  # torch used with many threads before a fork hangs the child
        return torch

    @functools.cached_property
    def warmup(self) -> types.SimpleNamespace:
        """minigrad.warmup's functions; the derivative is the one that torch's own backward finds."""

        def squared_loss(w: Any, X: Any, Y: Any) -> Any:
            return ((Y - w * X) ** 2).sum()

        def squared_loss_grad(w: Any, X: Any, Y: Any) -> Any:
            leaf = self._torch.as_tensor(w, dtype=X.dtype).detach().clone().requires_grad_()
            squared_loss(leaf, X, Y).backward()
            return leaf.grad

        return types.SimpleNamespace(squared_loss=squared_loss, squared_loss_grad=squared_loss_grad)

    @functools.cached_property
    def curvature(self) -> types.SimpleNamespace:
        """minigrad.curvature's functions, by torch.autograd.functional and torch.linalg."""

        def hessian_product(f: Any, x: Any, v: Any) -> Any:
            return self._torch.autograd.functional.hvp(f, x.detach(), v)[1]

        def newton_step(f: Any, x: Any) -> Any:
            functional = self._torch.autograd.functional
            slope, hessian = functional.jacobian(f, x.detach()), functional.hessian(f, x.detach())
            return x.detach() - self._torch.linalg.solve(hessian, slope)

        return types.SimpleNamespace(hessian_product=hessian_product, newton_step=newton_step)

    def _programs(self, name: str) -> types.ModuleType:
        """A module of minigrad that holds whole programs, run on torch: what it imports from minigrad, torch has, too.

        The file is read, not imported, so a part that is plugged into minigrad does not reach this one.
        """
        path = Path(__file__).resolve().parent.parent / "minigrad" / f"{name}.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                node.module, node.level = ".".join(filter(None, ("torch", node.module))), 0
        module = types.ModuleType(f"torch_{name}", f"minigrad.{name}, on torch")
        exec(compile(tree, str(path), "exec"), vars(module))
        return module

    @functools.cached_property
    def autograd(self) -> Any:
        """torch.autograd, and beside it three things that torch keeps to itself, told from what its graph shows."""
        engine = types.SimpleNamespace(count_dependencies=edges_into, run_backward=walk_from)
        ready = types.SimpleNamespace(push=list.append, pop=take_latest)
        return _Beside(self._torch.autograd, engine=engine, ready=ready)

    @functools.cached_property
    def custom(self) -> types.SimpleNamespace:
        """minigrad.custom's functions; the difference is the one that torch's own gradcheck takes."""
        numeric = importlib.import_module("torch.autograd.gradcheck")

        def softplus(x: Any) -> Any:
            return self._torch.logaddexp(x, self._torch.zeros_like(x))

        def central_difference(fn: Any, x: Any, direction: Any, eps: float) -> Any:
            here = x.detach().clone()
            try:
                flat = numeric._get_numerical_jvp_wrt_specific_input(fn, 0, (x,), direction, eps)[0]
            finally:  # gradcheck ends there, and leaves x where it was when fn failed
                x.data.copy_(here)
            return flat.reshape(fn(x).shape)

        return types.SimpleNamespace(softplus=softplus, central_difference=central_difference)

    def __getattr__(self, name: str) -> Any:
        if name not in PROGRAMS:
            return getattr(self._torch, name)
        vars(self)[name] = self._programs(name)
        return vars(self)[name]


class _Beside(types.SimpleNamespace):
    """A module with a few names of ours beside its own."""

    def __init__(self, module: types.ModuleType, **ours: Any) -> None:
        super().__init__(**ours)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def edges_into(roots: Iterable[Any]) -> dict[Any, int]:
    """For each node of torch's graph that the roots can reach: how many edges lead to it."""
    counts = dict.fromkeys(roots, 0)
    found = list(counts)
    for node in found:  # which grows meanwhile
        for target, _ in node.next_functions:
            if target is not None:
                if target not in counts:
                    found.append(target)
                counts[target] = counts.get(target, 0) + 1
    return counts


def walk_from(buffers: dict[Any, Any], retain_graph: bool, create_graph: bool) -> None:
    """Send the arrays in `buffers` backward from torch's nodes, their first outputs; nothing is left of them there."""
    edges = [T._torch.autograd.graph.GradientEdge(node, 0) for node in buffers]
    grads = [T._torch.tensor(grad) for grad in buffers.values()]
    T._torch.autograd.backward(edges, grads, retain_graph=retain_graph, create_graph=create_graph)
    buffers.clear()


def take_latest(ready: list[Any]) -> Any:
    """Take the node with torch's highest sequence number out of a list."""
    node = max(ready, key=lambda each: each._sequence_nr())
    ready.remove(node)
    return node


T = Torch()


@functools.lru_cache(maxsize=256)
def expected(name: str, seed: int) -> list[checks.Property]:
    """What torch gives for check `name` on the inputs of `seed`: label, encoded value, what it depends on, if drawn."""
    found = _answers(name, seed)
    labels = [each.label for each in found]
    if len(set(labels)) < len(labels):
        raise ValueError(f"check {name!r} yields a label twice: {labels}")
    return [each._replace(drawn=each.label not in same_for_all(name)) for each in found]


def _answers(name: str, seed: int) -> list[checks.Property]:
    with _as_new():
        return list(checks.properties(checks.get(name), T, seed))


@functools.cache
def same_for_all(name: str) -> frozenset[str]:
    """The labels under which a check has the same value on all inputs: a name, an order, a refusal."""
    one, *others = ({each.label: each.value for each in _answers(name, seed)} for seed in range(3))
    return frozenset(label for label in one if not any(compare(one[label], other.get(label)) for other in others))


@contextmanager
def _as_new() -> Iterator[None]:
    """torch as a fresh process has it, whatever a notebook has set; put back afterwards."""
    grad = T.is_grad_enabled()
    try:
        with checks.as_new(T), T.random.fork_rng(devices=[]):
            yield
    finally:
        T.set_grad_enabled(grad)
