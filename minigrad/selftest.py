"""A few programs that show the engine in order, on this machine and without torch: `python -m minigrad --self-test`.

It is no replacement for the test suite, which holds every operation against torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import autograd, cat, draws, float64, nn, ones, random, tensor
from .nn import functional as F
from .tensor import Tensor

STEP = 1e-5  # of the central differences; in float64 their error is then about 1e-10
TOLERANCE = 1e-6

Formula = Callable[..., Tensor]


def numbers(*shape: int) -> Tensor:
    """Normal numbers in float64, as a leaf that requires grad."""
    return draws.randn(*shape, dtype=float64, requires_grad=True)


# Each: a name, a function of tensors, the shapes of its inputs.
FORMULAS: list[tuple[str, Formula, list[tuple[int, ...]]]] = [
    ("tanh(x·y)·eˣ", lambda x, y: (x * y).tanh() * x.exp(), [(3, 4), (4,)]),
    ("x³ / (1 + y²)", lambda x, y: x**3 / (1 + y * y), [(5,), (5,)]),
    ("σ(x @ W) summed by rows", lambda x, w: (x @ w).sigmoid().sum(1), [(3, 4), (4, 2)]),
    ("indexing, cat, transpose", lambda x, y: cat([x[1:], y.t()])[:, ::2] * 2, [(3, 4), (4, 2)]),
    ("log softmax", lambda x: F.log_softmax(x, 1), [(3, 5)]),
    ("layer_norm", lambda x, w, b: F.layer_norm(x, (4,), w, b), [(3, 4), (4,), (4,)]),
    ("conv2d, max_pool2d", lambda x, w: F.max_pool2d(F.conv2d(x, w, padding=1), 2), [(2, 2, 6, 6), (3, 2, 3, 3)]),
    # In three dimensions: of four torch, and so minigrad, makes one kernel, which has no second derivative.
    ("attention", lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True), [(2, 4, 3)] * 2),
]


def slope_agrees(f: Formula, inputs: list[Tensor]) -> bool:
    """Whether the derivative along a random direction is what central differences say (a first-order check of all
    inputs at once), and the derivative of that derivative as well."""
    weights = draws.randn(*f(*inputs).shape, dtype=float64)
    directions = [draws.randn(*x.shape, dtype=float64) for x in inputs]

    def value(*xs: Tensor) -> Tensor:
        return (f(*xs) * weights).sum()

    def slope(*xs: Tensor) -> Tensor:
        grads = autograd.grad(value(*xs), xs, create_graph=True)
        return sum(((g * d).sum() for g, d in zip(grads, directions, strict=True)), start=tensor(0.0, dtype=float64))

    def difference(g: Formula) -> float:
        moved = [[x.detach() + sign * STEP * d for x, d in zip(inputs, directions, strict=True)] for sign in (1, -1)]
        ahead, behind = (g(*[x.requires_grad_() for x in xs]).item() for xs in moved)
        return (ahead - behind) / (2 * STEP)

    first = slope(*inputs)
    second = autograd.grad(first, inputs, allow_unused=True) if first.requires_grad else [None] * len(inputs)
    curvature = sum((h * d).sum().item() for h, d in zip(second, directions, strict=True) if h is not None)
    return near(first.item(), difference(value)) and near(curvature, difference(slope))


def near(a: float, b: float) -> bool:
    """Equal but for the error of central differences."""
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def wrong_rule_is_noticed() -> bool:
    """A derivative that forgets a factor must not pass the check above."""

    class Forgetful(autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Tensor) -> Tensor:
            return grad_outputs[0] * ctx.saved_tensors[0]  # 2 · x was due

    return not slope_agrees(Forgetful.apply, [numbers(3)])


def long_chain() -> bool:
    """100,000 additions: no recursion, neither in the walk nor in freeing the graph."""
    x = ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + x
    y.sum().backward()
    return x.grad is not None and x.grad.item() == 100_001


def overwritten_value_is_noticed() -> bool:
    """A value saved for backward and written in place since: an error, not a wrong gradient."""
    x = ones(2, requires_grad=True)
    y = x * 1
    z = y.exp() * y
    y.add_(1)
    try:
        z.sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


def training_learns() -> bool:
    """Twenty steps of SGD on a line: the loss falls to a tenth."""
    from .optim import SGD

    random.manual_seed(0)
    net, x = nn.Linear(3, 1), draws.randn(32, 3)
    y, losses = x @ tensor([[1.0], [-2.0], [0.5]]), []
    optimizer = SGD(net.parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[-1] < losses[0] / 10


PROGRAMS: list[tuple[str, Callable[[], bool]]] = [
    *[
        (f"一阶、二阶导数 · first and second derivative: {name}", lambda f=f, shapes=shapes: _formula(f, shapes))
        for name, f, shapes in FORMULAS
    ],
    ("错误的导数会被发现 · a wrong derivative is noticed", wrong_rule_is_noticed),
    ("十万个节点的链 · a chain of 100,000 nodes", long_chain),
    ("被改写的值会被发现 · an overwritten value is noticed", overwritten_value_is_noticed),
    ("训练能学到东西 · training learns", training_learns),
]


def _formula(f: Formula, shapes: list[tuple[int, ...]]) -> bool:
    random.manual_seed(0)
    return slope_agrees(f, [numbers(*shape) for shape in shapes])


def run(say: Callable[[str], None] = print) -> int:
    """Run all programs and say how each went; how many failed."""
    failed = 0
    for name, program in PROGRAMS:
        try:
            fine, why = program(), ""
        except Exception as error:  # whatever goes wrong in a program is that program's result
            fine, why = False, f" ({type(error).__name__}: {error})"
        failed += not fine
        say(f"{'✓' if fine else '✗'} {name}{why}")
    say(f"{len(PROGRAMS) - failed}/{len(PROGRAMS)} 通过 · passed")
    return failed
