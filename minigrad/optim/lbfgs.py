"""LBFGS: Newton's direction, from how the gradient has changed along the last steps (torch.optim.LBFGS).

How far to go in that direction may be searched for (line_search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..ops.join import cat
from ..ranges import zeros_like
from ..tensor import Tensor
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer, check, evaluated, not_from_0_on, scalar
from .own_names import unhidden

# What a step writes down, in torch's order: the shares of the remembered steps on the way, the rest at its end.
WRITTEN = ("al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Limited-memory BFGS (Liu, Nocedal 1989): -H⁻¹ g, with H⁻¹ built from the last history_size steps and changes of g.

    One step() takes up to max_iter of them and computes the loss up to max_eval times, so it needs a closure.
    line_search_fn: None, every step being lr long, or "strong_wolfe".
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check(not_from_0_on, lr=lr)
        settings = {"lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval}
        settings |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        super().__init__(params, settings | {"history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Go several steps. closure: clears the gradients, computes the loss and its gradients, returns the loss."""
        if (count := len(self.param_groups)) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {count}")
        with no_grad():
            return self._iterate_steps(lambda: evaluated(closure))

    def _iterate_steps(self, closure: Callable[[], Any]) -> Any:
        """Direction after direction, until the gradient or the change is small or the budget is used up."""
        group, state = self.param_groups[0], self.state[unhidden(self).params[0]]
        lr, small, budget = scalar(group["lr"]), group["tolerance_change"], group["max_eval"]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, grad, evaluations = float(first), self._gather_flat_grad(), 1
        state["func_evals"] += 1
        if grad.abs().max() <= group["tolerance_grad"]:
            return first
        known = set(state)
        for left in reversed(range(group["max_iter"])):
            state["n_iter"] += 1
            state["d"] = d = self._descent_direction(grad, state, group["history_size"])
            state["prev_flat_grad"], state["prev_loss"] = grad.clone(), loss
            state["t"] = t = lr * min(1.0, 1.0 / grad.abs().sum()) if state["n_iter"] == 1 else lr
            slope = grad.dot(d)
            if slope > -small:
                break
            here = Point(0, loss, grad, slope)
            (t, loss, grad, _), used = self._moved_along(closure, here, t, d, budget - evaluations, left == 0)
            state["t"] = t
            evaluations += used
            state["func_evals"] += used
            if evaluations >= budget or grad.abs().max() <= group["tolerance_grad"]:
                break
            if (d * t).abs().max() <= small or abs(loss - state["prev_loss"]) < small:
                break
        for name in [name for name in WRITTEN if name in state and name not in known]:
            state[name] = state.pop(name)
        return first

    def _descent_direction(self, grad: Tensor, state: dict[str, Any], history: int) -> Tensor:
        """-H⁻¹ grad, by the two loops over the remembered steps; -grad where there are none yet."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -grad
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = grad - state["prev_flat_grad"], state["d"] * state["t"]
        product = change.dot(step)
        if product > 1e-10:  # else the loss is not convex along this step, and it is not remembered
            for memory, new in ((changes, change), (steps, step), (inverses, 1.0 / product)):
                if len(memory) == history:
                    memory.pop(0)
                memory.append(new)
            state["H_diag"] = product / change.dot(change)
        remembered = list(zip(changes, steps, inverses, strict=True))
        d, shares = -grad, []
        for y, s, ro in reversed(remembered):
            shares.append(s.dot(d) * ro)
            d.add_(y, alpha=-shares[-1])
        state["al"] = [*reversed(shares), *[None] * (history - len(shares))]
        d = d * state["H_diag"]
        for (y, s, ro), share in zip(remembered, reversed(shares), strict=True):
            d.add_(s, alpha=share - y.dot(d) * ro)
        return d

    def _moved_along(
        self, closure: Callable[[], Any], here: Point, t: Any, d: Tensor, most: int, last: bool
    ) -> tuple[Point, int]:
        """Where the parameters are after a step along d, and how often the loss was computed on the way.

        last: no step follows, so that without a search nobody asks for the loss there.
        """
        if self.param_groups[0]["line_search_fn"] is None:
            self._add_grad(d, t)
            return (here._replace(t=t), 0) if last else (Point(t, float(closure()), self._gather_flat_grad(), None), 1)
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [p.clone() for p in unhidden(self).params]

        def evaluate(t: Any) -> Point:
            self._add_grad(d, t)
            loss, grad = float(closure()), self._gather_flat_grad()
            for p, value in zip(unhidden(self).params, start, strict=True):
                p.copy_(value)
            return Point(t, loss, grad, grad.dot(d))

        found, used = strong_wolfe(evaluate, here._replace(grad=here.grad.clone()), t, d.abs().max(), most)
        self._add_grad(d, found.t)
        return found, used

    def _gather_flat_grad(self) -> Tensor:
        """The gradients of all parameters in one vector."""
        return cat([(zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in unhidden(self).params])

    def _add_grad(self, d: Tensor, t: Any) -> None:
        """Move the parameters by t · d, which has their elements one after the other."""
        start = 0
        for p in unhidden(self).params:
            end = start + p.numel()
            p.add_(d[start:end].view_as(p), alpha=t)
            start = end
