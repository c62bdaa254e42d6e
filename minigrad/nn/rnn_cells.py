"""What one step of a recurrent layer does, and the modules that do a single one: RNNCell, LSTMCell, GRUCell. Those that go
along whole sequences are in rnn.py and take the same steps."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..creation import zeros
from ..tensor import Tensor
from . import functional as F
from . import init
from .constructors import OwnForward, own_constructor
from .layers import unset
from .module import Module

State = tuple[Tensor, ...]  # what one step hands to the next: (hidden,), or (hidden, cell) in an LSTM
Weights = dict[str, Any]  # of one step: weight_ih, weight_hh, and perhaps bias_ih, bias_hh, weight_hr


class Step:
    """One step: the state after it, from the input's part (input @ weight_ihᵀ + bias_ih) and the state before it."""

    _gate_count: ClassVar[int] = 1  # how many vectors of hidden_size a step computes from its input

    def _recurrent_step(self, of_input: Tensor, state: State, weights: Weights) -> State:
        """of_input: (N, gates · hidden_size), the parts of a state: (N, size)."""
        raise NotImplementedError


def of_hidden(state: State, weights: Weights) -> Tensor:
    """The hidden state's part."""
    return F.linear(state[0], weights["weight_hh"], weights.get("bias_hh"))


class ElmanStep(Step):
    """h ← tanh(W_ih x + b_ih + W_hh h + b_hh), or relu in place of tanh (Elman 1990)."""

    nonlinearity: str

    def _recurrent_step(self, of_input: Tensor, state: State, weights: Weights) -> State:
        """One step."""
        reached = of_hidden(state, weights) + of_input
        return (reached.tanh() if self.nonlinearity == "tanh" else reached.relu(),)


class LSTMStep(Step):
    """c ← σ(f) c + σ(i) tanh(g), h ← σ(o) tanh(c), where i, f, g, o are made of x and h (Hochreiter, Schmidhuber 1997).

    With weight_hr the hidden state is the product of h with it.
    """

    _gate_count = 4

    def _recurrent_step(self, of_input: Tensor, state: State, weights: Weights) -> State:
        """One step."""
        taken, kept, new, shown = (of_hidden(state, weights) + of_input).unsafe_chunk(4, 1)
        cell = kept.sigmoid() * state[1] + taken.sigmoid() * new.tanh()
        hidden = shown.sigmoid() * cell.tanh()
        return F.linear(hidden, weights["weight_hr"]) if "weight_hr" in weights else hidden, cell


class GRUStep(Step):
    """h ← σ(z) (h - n) + n with n = tanh(x's part + σ(r) · h's part), where r and z, too, are made of x and h (Cho et al.
    2014)."""

    _gate_count = 3

    def _recurrent_step(self, of_input: Tensor, state: State, weights: Weights) -> State:
        """One step."""
        (hidden,) = state
        x, h = of_input.unsafe_chunk(3, 1), of_hidden(state, weights).unsafe_chunk(3, 1)
        reset, update = (h[0] + x[0]).sigmoid(), (h[1] + x[1]).sigmoid()
        new = (x[2] + h[2] * reset).tanh()
        return ((hidden - new) * update + new,)


def reset_recurrent(module: Module, hidden_size: int) -> None:
    """Draw the parameters of a recurrent module, uniform in ± 1/√hidden_size."""
    bound = 1 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


class RNNCellBase(Step, OwnForward, Module):
    """One step as a module; base of RNNCell, LSTMCell and GRUCell."""

    _state_part_names: ClassVar[tuple[str, ...]] = ("hidden",)  # what the parts of its state are called in messages

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates, made = self._gate_count * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih, self.weight_hh = unset(gates, input_size, **made), unset(gates, hidden_size, **made)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, unset(gates, **made) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew, uniform in ± 1/√hidden_size."""
        reset_recurrent(self, self.hidden_size)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """(N, input_size) or (input_size,), and the state before → the state after; 0 before the first step."""
        name, state = type(self).__name__, () if hx is None else self._given_state(hx)
        for what, value in (("input", input), *zip(self._state_part_names, state, strict=False)):
            if value.dim() not in (1, 2):
                raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {value.dim()}D instead")
        batched = input.dim() == 2
        if not batched:
            input, state = input.unsqueeze(0), tuple(part.unsqueeze(0) for part in state)
        if not state:
            first = zeros(len(input), self.hidden_size, dtype=input.dtype, device=input.device)
            state = (first,) * len(self._state_part_names)
        self._check_arguments(input, state)
        weights = {name: getattr(self, name) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
        state = self._recurrent_step(F.linear(input, self.weight_ih, self.bias_ih), state, weights)
        state = state if batched else tuple(part.squeeze(0) for part in state)
        return self._shown_state(state)

    def _given_state(self, hx: Any) -> State:
        return (hx,)

    def _shown_state(self, state: State) -> Any:
        return state[0]

    def _check_arguments(self, input: Tensor, state: State) -> None:
        if input.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {self.input_size}")
        for i, part in enumerate(state):
            if len(part) != len(input):
                raise RuntimeError(f"Input batch size {len(input)} doesn't match hidden{i} batch size {len(part)}")
            if part.shape[1] != self.hidden_size:
                got = part.shape[1]
                raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {got}, expected {self.hidden_size}")

    def extra_repr(self) -> str:
        """As torch prints it."""
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        changed = [f"bias={self.bias}"] * (self.bias is not True)
        changed += [f"nonlinearity={nonlinearity}"] * (nonlinearity != "tanh")
        return ", ".join([str(self.input_size), str(self.hidden_size), *changed])


class RNNCell(ElmanStep, RNNCellBase):
    """One step of an RNN (torch.nn.RNNCell)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _recurrent_step(self, of_input: Tensor, state: State, weights: Weights) -> State:
        """One step."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return super()._recurrent_step(of_input, state, weights)


@own_constructor
class LSTMCell(LSTMStep, RNNCellBase):
    """One step of an LSTM (torch.nn.LSTMCell)."""

    _state_part_names = ("hx[0]", "hx[1]")

    def _given_state(self, hx: Any) -> State:
        if not isinstance(hx, tuple | list):
            given = type(hx).__name__
            raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {given}")
        if len(hx) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        return tuple(hx)

    def _shown_state(self, state: State) -> Any:
        return state


@own_constructor
class GRUCell(GRUStep, RNNCellBase):
    """One step of a GRU (torch.nn.GRUCell)."""
