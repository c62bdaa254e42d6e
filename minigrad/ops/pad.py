"""Padding: a tensor made larger (or smaller) at its ends, with a value or with what it holds itself."""

from __future__ import annotations

import itertools
from typing import Any

from .. import rules
from ..backend import array_module, in_order
from ..dtypes import element
from ..tensor import Tensor, from_array
from .arguments import Float, IntList, Str, is_ints, parsed
from .define import Op
from .promotion import no_kernel
from .validate import number_or_none
from .views import slice_op

Sizes = tuple[int, ...]


def constant_pad_vjp(grad: Any, pad: Sizes) -> Any:
    """z = self with more around it: what was added is cut off again, and what was cut off gets 0."""
    return pad_op.of(grad, pad=tuple(-p for p in pad), value=0)


def _constant_pad(x: Any, pad: Sizes, value: float) -> Any:
    """pad: (left, right) of the last dimension, then of the one before …; negative numbers cut."""
    if not any(pad):
        return x.copy()
    ends = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if any(n + min(left, 0) + min(right, 0) < 0 for n, (left, right) in zip(x.shape, ends, strict=True)):
        raise RuntimeError("narrow(): length must be non-negative.")
    kept = tuple([slice(max(-left, 0), n - max(-right, 0)) for n, (left, right) in zip(x.shape, ends, strict=True)])
    if max(pad) <= 0:
        return x[kept].copy()
    shape = [n + left + right for n, (left, right) in zip(x.shape, ends, strict=True)]
    out = array_module(x).full(shape, element(value, x.dtype))
    into = tuple(slice(max(left, 0), n - max(right, 0)) for n, (left, right) in zip(shape, ends, strict=True))
    out[into] = x[kept]
    return out


pad_op = Op("ConstantPadNdBackward0", _constant_pad, self=constant_pad_vjp)


# ------------------------------------------------------------------ with the tensor's own values


def own_values_vjp(grad: Any, self: Any, index: Any) -> Any:
    """z = self[index] in every padded dimension: an element repeated in the padding collects all its gradients.

    Only the shape of self is used, but torch's kernel is given all of it, and so its own derivative for it is 0, not None.
    """
    return rules.scatter_index(grad, tuple(self.shape), index)


def _reflected(i: Any, n: int) -> Any:
    return (n - 1) - abs((n - 1) - abs(i))


SOURCES = {  # which element is at position i of a dimension of n elements, for i before 0 and from n on
    "reflect": _reflected,
    "replicate": lambda i, n: i.clip(0, n - 1),
}
NODES = {
    "reflect": ("ReflectionPad{}DBackward0", "ReflectionPad{}DBackwardBackward0"),
    "replicate": ("ReplicationPad{}DBackward0", "ReplicationPad{}DBackwardBackward0"),
}
OPS = {
    (mode, n): Op(
        node.format(n), lambda x, index, padding: in_order(x[index]), self=own_values_vjp, second=second.format(n)
    )
    for (mode, (node, second)), n in itertools.product(NODES.items(), (1, 2, 3))
}


def check_dims(ndim: int, count: int) -> None:
    """NotImplementedError for anything but the last `count` dimensions of (N, C, …) or (C, …)."""
    if ndim not in (count + 1, count + 2):
        raise NotImplementedError(
            f"Padding size {2 * count} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )


def own_values(input: Tensor, pad: Sizes, mode: str) -> Tensor:
    """Padding by reflection or by the last value."""
    shape, count = input._data.shape, len(pad) // 2
    if 0 in shape[-count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    index: list[Any] = []
    for d in range(count):
        (left, right), n = pad[2 * d : 2 * d + 2], shape[-1 - d]
        if mode == "reflect" and max(left, right) >= n:
            raise RuntimeError(
                f"Argument #{4 + 2 * d}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({left}, {right}) at dimension {len(shape) - 1 - d} of input {list(shape)}"
            )
        if n + left + right < 1:
            raise RuntimeError(
                f"input ({'WHD'[d]}: {n}) is too small. Calculated output {'WHD'[d]}: {n + left + right}"
            )
        places = SOURCES[mode](array_module(input._data).arange(-left, n + right), n)
        index.insert(0, places.reshape([-1] + [1] * d))
    no_kernel(f"{NODES[mode][0].partition('Pad')[0].lower()}_pad{count}d", input)
    return OPS[mode, count](input, index=(..., *index), padding=pad)


def around(input: Tensor, pad: Sizes) -> Tensor:
    """Padding with the values from the other end, recorded as torch does it: the input copied into a new tensor, then in
    every dimension its end before its beginning, and its beginning after its end."""
    ndim, shape = input._data.ndim, list(input._data.shape)
    ends = {ndim - 1 - i: (pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)}
    for d, (left, right) in ends.items():
        if max(left, right) > shape[d]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if shape[d] + left + right < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        shape[d] += left + right
    out = from_array(array_module(input._data).empty(shape, input._data.dtype))
    inner, kept = out, input
    for d, (left, right) in ends.items():
        inner = part(inner, d, max(left, 0), shape[d] - max(right, 0))
        kept = part(kept, d, max(-left, 0), kept._data.shape[d] - max(-right, 0))
    inner.copy_(kept)
    for d, (left, right) in ends.items():
        before, after, n = max(left, 0), max(right, 0), shape[d]
        if before:
            part(out, d, 0, before).copy_(part(out, d, n - before - after, n - after))
        if after:
            part(out, d, n - after, n).copy_(part(out, d, before, before + after))
    return out


def part(x: Tensor, dim: int, start: int, end: int) -> Tensor:
    """The elements of a dimension from `start` to before `end`; a view."""
    return slice_op(x, dim=dim, start=start, end=end, step=1)


@parsed()
def pad(input: Tensor, pad: IntList, mode: Str = "constant", value: Float | None = None) -> Tensor:
    """`input` with its last dimensions padded (torch.nn.functional.pad).

    pad: (left, right) of the last dimension, then (left, right) of the one before, …; negative numbers cut.
    mode: "constant" (with `value`, 0 by default), "reflect", "replicate", "circular".
    """
    if not is_ints(pad):
        raise TypeError("expected ints")
    sizes, ndim = tuple(pad), input._data.ndim
    value = float(value) if isinstance(value, int) else number_or_none(value)  # whole numbers of any size
    if len(sizes) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(sizes) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(sizes)} and input of dimension {ndim}"
        )
    if mode == "constant":
        lengths = zip(input._data.shape[::-1], sizes[::2], sizes[1::2], strict=False)
        if any(n + left + right < 0 for n, left, right in lengths):
            raise RuntimeError("narrow(): length must be non-negative.")
        return pad_op(input, pad=sizes, value=float(value or 0))
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in SOURCES and mode != "circular":
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    check_dims(ndim, len(sizes) // 2)
    return around(input, sizes) if mode == "circular" else own_values(input, sizes, mode)
