"""Recurrent layers: RNN, LSTM and GRU. What one step does is in rnn_cells.py; layers, directions and how sequences are
laid out are RNNBase's business."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from .. import rules
from ..creation import zeros
from ..errors import warn
from ..tensor import Tensor
from . import functional as F
from .constructors import OwnForward
from .layers import unset
from .module import Module
from .rnn_cells import ElmanStep, GRUStep, LSTMStep, State, Step, Weights, reset_recurrent
from .utils.rnn import PackedSequence

FORMS = {True: ("batched 3-D", "3-D"), False: ("unbatched 2-D", "2-D")}  # of inputs and states, in messages


class RNNBase(Step, OwnForward, Module):
    """A state that is carried along a sequence and changed at every step; base of RNN, LSTM and GRU.

    Several layers: each reads what the one below it put out, in training thinned out by dropout. bidirectional: a second
    pass goes from the end to the start, and both outputs are concatenated.
    """

    _dims_refused_words: ClassVar[str] = "{}: Expected input to be 2D or 3D, got {}D instead"

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        check(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        gates, output_size = self._gate_count * hidden_size, proj_size or hidden_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, input_size), "weight_hh": (gates, output_size)}
        if bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if proj_size:
            shapes["weight_hr"] = (proj_size, hidden_size)
        self._kinds = list(shapes)
        for layer in range(num_layers):
            if layer:
                shapes["weight_ih"] = (gates, output_size * len(self._directions))
            for direction in self._directions:
                for kind, shape in shapes.items():
                    setattr(self, f"{kind}_l{layer}{direction}", unset(*shape, dtype=dtype, device=device))
        self.reset_parameters()

    @property
    def _directions(self) -> tuple[str, ...]:
        """How the names of each direction's parameters end."""
        return ("", "_reverse") if self.bidirectional else ("",)

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters by layer and direction."""
        return [
            list(self._weights_of_layer(layer, direction).values())
            for layer in range(self.num_layers)
            for direction in self._directions
        ]

    def _weights_of_layer(self, layer: int, direction: str) -> Weights:
        return {kind: getattr(self, f"{kind}_l{layer}{direction}") for kind in self._kinds}

    def flatten_parameters(self) -> None:
        """Nothing: in torch it lays the parameters side by side for a GPU."""

    def reset_parameters(self) -> None:
        """Draw the parameters anew, uniform in ± 1/√hidden_size."""
        reset_recurrent(self, self.hidden_size)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(L, N, input_size), or (N, L, input_size) with batch_first, or (L, input_size) → the hidden states of the last
        layer at every step, and those of all layers after the last one. hx: the states to begin with; 0 by default.
        A packed sequence of these → its output packed, too."""
        if isinstance(input, PackedSequence):
            return self._run_packed(input, hx)
        if input.dim() not in (2, 3):
            raise ValueError(self._dims_refused_words.format(type(self).__name__, input.dim()))
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        input = input if batched else input.unsqueeze(batch_dim)
        n = input.shape[batch_dim]
        state = self._first_state(input, n) if hx is None else self._given_state(hx, batched)
        self._check_input(input)
        self._check_state(state, n)
        output, state = self._run_layers(input.transpose(0, 1) if self.batch_first else input, state)
        output = self._batch_first(output) if self.batch_first else output
        if not batched:
            output, state = output.squeeze(batch_dim), tuple(part.squeeze(1) for part in state)
        return output, self._shown_state(state)

    def _run_packed(self, packed: PackedSequence, hx: Any) -> Any:
        """forward for a packed sequence; states are asked for and given in the order in which the sequences came."""
        data, batch_sizes, order, back = packed
        sizes = batch_sizes.tolist()
        if data.dim() != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {data.dim()}")
        given = hx if hx is None or isinstance(hx, tuple | list) else (hx,)
        state = self._first_state(data, sizes[0]) if given is None else _in_order(given, order)
        self._check_input(data)
        self._check_state(state, sizes[0])
        output, state = self._run_layers(data, state, sizes)
        return PackedSequence(output, batch_sizes, order, back), self._shown_state(_in_order(state, back))

    def _run_layers(self, output: Tensor, state: State, sizes: list[int] | None = None) -> tuple[Tensor, State]:
        """All layers, one after the other; what the last one put out, and the states that each direction ends with.
        sizes: of the steps of a packed sequence."""
        if not len(output):
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        together = rules.stack if sizes is None else rules.concatenate
        begins = list(zip(*[part.unbind(0) for part in state], strict=True))
        ends: list[State] = []
        for layer in range(self.num_layers):
            sides = []
            for direction in self._directions:
                weights, backwards = self._weights_of_layer(layer, direction), direction == "_reverse"
                inputs = F.linear(output, weights["weight_ih"], weights.get("bias_ih"))
                steps = inputs.unbind(0) if sizes is None else inputs.split(sizes)
                hidden, end = self._along_steps(steps, begins[len(ends)], weights, backwards)
                ends.append(end)
                sides.append(together(hidden, 0))
            output = rules.concatenate(sides, -1) if len(sides) > 1 else sides[0]
            if self.dropout and self.training and layer < self.num_layers - 1:
                output = F.dropout(output, self.dropout)
        return output, tuple(rules.stack(list(parts), 0) for parts in zip(*ends, strict=True))

    def _along_steps(self, steps: Any, begin: State, weights: Weights, backwards: bool) -> tuple[list[Tensor], State]:
        """One direction of one layer: the hidden states of all steps, and the state of every sequence at its end.

        Those of a packed sequence are over at different steps, or, backwards, begin at different ones.
        """
        current, hidden, over = begin, list[Tensor](), list[State]()
        if backwards and len(steps[-1]) < len(begin[0]):
            current = tuple(part[: len(steps[-1])] for part in begin)
        for step in reversed(steps) if backwards else steps:
            rows, before = len(step), len(current[0])
            if rows < before:
                over.append(tuple(part[rows:] for part in current))
                current = tuple(part[:rows] for part in current)
            elif rows > before:
                both = zip(current, begin, strict=True)
                current = tuple(rules.concatenate([part, first[before:rows]], 0) for part, first in both)
            current = self._recurrent_step(step, current, weights)
            hidden.append(current[0])
        if over:
            current = tuple(rules.concatenate(list(parts), 0) for parts in zip(current, *reversed(over), strict=True))
        return hidden[::-1] if backwards else hidden, current

    # ------------------------------------------------------------------ states as they come and go

    def _state_sizes(self) -> tuple[int, ...]:
        """The size of each part of the state."""
        return (self.hidden_size,)

    def _first_state(self, input: Tensor, n: int) -> State:
        made: dict[str, Any] = {"dtype": input.dtype, "device": input.device}
        rows = self.num_layers * len(self._directions)
        return tuple(zeros(rows, n, size, **made) for size in self._state_sizes())

    def _given_state(self, hx: Tensor, batched: bool) -> State:
        if hx.dim() != (3 if batched else 2):
            form, also = FORMS[batched]
            raise RuntimeError(f"For {form} input, hx should also be {also} but got {hx.dim()}-D tensor")
        return (hx if batched else hx.unsqueeze(1),)

    def _shown_state(self, state: State) -> Any:
        return state[0]

    def _batch_first(self, output: Tensor) -> Tensor:
        return output.transpose_(0, 1)

    def _check_input(self, input: Tensor) -> None:
        dtype = self.weight_ih_l0.dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        if self.input_size != input.shape[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _check_state(self, state: State, n: int) -> None:
        for i, (part, size) in enumerate(zip(state, self._state_sizes(), strict=True)):
            expected, got = (self.num_layers * len(self._directions), n, size), list(part.shape)
            if tuple(got) != expected:
                which = f"[{i}]" if len(state) > 1 else ""
                raise RuntimeError(f"Expected hidden{which} size {expected}, got {got}")

    def extra_repr(self) -> str:
        """As torch prints it."""
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        changed = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([str(self.input_size), str(self.hidden_size), *changed])


class RNN(ElmanStep, RNNBase):
    """A recurrent network with one hidden state (torch.nn.RNN). nonlinearity: "tanh" or "relu"."""

    _dims_refused_words = "{}: Expected input to be 2D or 3D, got {}D tensor instead"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        given = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if given not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{given}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{given.upper()}", *args[:3], *args[4:], **kwargs)
        self.nonlinearity = given


class LSTM(LSTMStep, RNNBase):
    """A recurrent network with a cell state and gates that forget, add to and output it (torch.nn.LSTM).

    proj_size: the hidden state is a product of h with weight_hr, of this size.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _state_sizes(self) -> tuple[int, ...]:
        return self.proj_size or self.hidden_size, self.hidden_size

    def _given_state(self, hx: Any, batched: bool) -> State:
        dims = [part.dim() for part in (hx[0], hx[1])]
        if dims != ([3, 3] if batched else [2, 2]):
            form, also = FORMS[batched]
            raise RuntimeError(
                f"For {form} input, hx and cx should also be {also} but got ({dims[0]}-D, {dims[1]}-D) tensors"
            )
        return tuple(part if batched else part.unsqueeze(1) for part in (hx[0], hx[1]))

    def _shown_state(self, state: State) -> Any:
        return state

    def _batch_first(self, output: Tensor) -> Tensor:
        return output.transpose(0, 1)  # not in place, as in torch: it shows in the graph


class GRU(GRUStep, RNNBase):
    """A hidden state that a gate mixes with a new one (torch.nn.GRU)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


def _in_order(state: Iterable[Tensor], order: Tensor | None) -> State:
    """The states of the sequences of a batch in this order."""
    return tuple(state) if order is None else tuple(part.index_select(1, order) for part in state)


def refuse_projection(settings: dict[str, Any]) -> None:
    """ValueError for a setting that only an LSTM has."""
    if "proj_size" in settings:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


def check(
    input_size: Any, hidden_size: Any, num_layers: Any, bias: Any, batch_first: Any, dropout: Any, proj_size: Any
) -> None:
    """ValueError or TypeError, in torch's words and order, for a setting that makes no sense."""
    if not isinstance(dropout, int | float) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}"
        )
    for name, value, kind in (
        ("bias", bias, bool),
        ("batch_first", batch_first, bool),
        ("input_size", input_size, int),
        ("hidden_size", hidden_size, int),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
