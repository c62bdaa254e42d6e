"""torch.nn.utils.rnn: sequences of different lengths as one batch, padded or packed.

Padded ones are as long as the longest, packed ones waste nothing; recurrent layers take both.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from ...creation import as_tensor, full, tensor
from ...dtypes import int64
from ...errors import refusing
from ...ops.packed import pack_op
from ...ranges import arange
from ...tensor import Tensor

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip

__getattr__ = refusing(__name__)

UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` "
    "to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability."
)


class PackedSequence(namedtuple("PackedSequence", "data batch_sizes sorted_indices unsorted_indices")):
    """data: the rows of all steps, one step after the other; batch_sizes: how many each step has.

    sorted_indices: the order of the sequences, the longest first; None for the given order.
    unsorted_indices: the way back.
    """

    __slots__ = ()

    def __new__(
        cls, data: Tensor, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        """The way back is found where it is not given."""
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The rows converted as Tensor.to would; the indices go with them to another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [None if each is None else each.to(data.device) for each in self[2:]]
        return type(self)(data, self.batch_sizes, *moved)

    def cpu(self) -> PackedSequence:
        """In host memory."""
        return self.to("cpu")

    def cuda(self) -> PackedSequence:
        """On a GPU."""
        return self.to("cuda")

    @property
    def is_cuda(self) -> bool:
        """Whether the rows live on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes this one."""
    return None if permutation is None else permutation.argsort()


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Tensors of sizes (L, *) → one of sizes (longest L, N, *), or (N, longest L, *) with batch_first."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    given = tuple(sequences)
    if not given:
        raise RuntimeError("received an empty list of sequences")
    for i, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(each).__name__}")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    first, longest = given[0], max(len(each) for each in given)
    sizes = (len(given), longest) if batch_first else (longest, len(given))
    padded = full((*sizes, *first.shape[1:]), padding_value, dtype=first.dtype, device=first.device)
    for i, each in enumerate(given):
        start = longest - len(each) if padding_side == "left" else 0
        place = padded.select(0, i) if batch_first else padded.select(1, i)
        place.narrow(0, start, len(each)).copy_(each)
    return padded


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """What pad_sequence was given."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # in place, as in torch: the caller's tensor is turned
    steps = arange(padded_sequences.shape[1], device=lengths.device)
    return [row[steps < length] for row, length in zip(padded_sequences, lengths, strict=True)]


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The first lengths[i] steps of every sequence i of (L, N, *), or (N, L, *) with batch_first.

    enforce_sorted: the longest must come first; otherwise they are put into that order here.
    """
    lengths = lengths.to(dtype=int64) if isinstance(lengths, Tensor) else as_tensor(lengths, dtype=int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    if lengths.dim() != 1 or lengths.is_cuda:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {lengths.device.type} Long tensor"
        )
    steps = input.transpose(0, 1) if batch_first else input
    batch_sizes = tensor(_batch_sizes(lengths.tolist(), steps), device="cpu")
    return PackedSequence(pack_op(steps, batch_sizes=batch_sizes), batch_sizes, order)


def _batch_sizes(lengths: list[int], steps: Tensor) -> list[int]:
    """How many of these sequences have each step. RuntimeError for lengths that are in no order, or not those of a batch."""
    if not steps.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if len(lengths) != steps.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={steps.size(1)})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if lengths != sorted(lengths, reverse=True):
        raise RuntimeError(UNSORTED)
    if lengths[0] > len(steps):
        raise RuntimeError(f"Expected no length above that of the padded sequences, {len(steps)}, but got {lengths[0]}")
    return [sum(length > step for length in lengths) for step in range(lengths[0])]


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The packed sequences padded, as long as the longest or total_length, and their lengths, in the order they came."""
    sizes = sequence.batch_sizes.tolist()
    if total_length is not None and total_length < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    rows, n = sequence.data, sizes[0]
    shape = (len(sizes) if total_length is None else total_length, n, *rows.shape[1:])
    padded = full(shape, padding_value, dtype=rows.dtype, device=rows.device)
    start = begin = 0
    for step in range(1, len(sizes) + 1):
        if step == len(sizes) or sizes[step] != sizes[begin]:  # steps with as many rows are written together
            size, count = sizes[begin], step - begin
            part = rows[start : start + size * count].view(count, size, *rows.shape[1:])
            padded[begin:step, :size].copy_(part)
            start, begin = start + size * count, step
    lengths = tensor([sum(size > row for size in sizes) for row in range(n)], device="cpu")
    padded = padded.transpose(0, 1) if batch_first else padded
    if sequence.unsorted_indices is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, sequence.unsorted_indices), lengths[
        sequence.unsorted_indices.cpu()
    ]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Tensors of sizes (L, *), packed."""
    lengths = as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """What pack_sequence was given."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
