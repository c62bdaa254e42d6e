"""Sequences of different lengths, packed: step after step, at each step the rows of those that are not over yet.

What users call is in nn/utils/rnn.py.
"""

from __future__ import annotations

from typing import Any

from ..backend import array_module
from .define import Op


def pack_vjp(grad: Any, batch_sizes: Any, self_shape: tuple[int, ...]) -> Any:
    """z = the first rows of every step: their gradients go back there, and 0 to the padding."""
    return unpack_op.of(grad, batch_sizes=batch_sizes, shape=self_shape)


def unpack_vjp(grad: Any, batch_sizes: Any) -> Any:
    """z = rows put where they were, and 0 beside them: the same rows again."""
    return pack_op.of(grad, batch_sizes=batch_sizes)


def _pack(x: Any, batch_sizes: Any) -> Any:
    return array_module(x).concatenate([x[step, :size] for step, size in enumerate(batch_sizes.tolist())])


def _unpack(x: Any, batch_sizes: Any, shape: tuple[int, ...]) -> Any:
    out, start = array_module(x).zeros(shape, x.dtype), 0
    for step, size in enumerate(batch_sizes.tolist()):
        out[step, :size] = x[start : start + size]
        start += size
    return out


pack_op = Op("PackPaddedSequenceBackward0", _pack, tensors=("batch_sizes",), self=pack_vjp)
unpack_op = Op("PackPaddedSequenceBackwardBackward0", _unpack, tensors=("batch_sizes",), self=unpack_vjp)
