"""The Transformer: layers of attention and of a small network for each place, and stacks of them.

Source: Vaswani et al. (2017), Attention Is All You Need; with norm_first the variant of Xiong et al. (2020), On Layer
Normalization in the Transformer Architecture.

In evaluation, where no gradient is wanted, torch leaves an encoder layer to one kernel. It differs from the steps in the last
digits, and in more than that where masks are given: `_takes_fused_path` below and in attention.py say how.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..autograd.grad_mode import is_grad_enabled
from ..creation import full
from ..errors import warn
from ..ops.multi_head import additive
from ..tensor import Tensor
from . import functional as F
from . import init
from .attention import MultiheadAttention
from .constructors import own_constructor
from .containers import ModuleList
from .layers import Dropout, Linear
from .module import Module
from .norm import LayerNorm
from .simple import GELU, ReLU

Activation = Callable[[Tensor], Tensor]
ACTIVATIONS: dict[str, Activation] = {"relu": F.relu, "gelu": F.gelu}


def causal_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """(size, size): -inf where a place would look at a later one, else 0."""
    return full((size, size), -math.inf, dtype=dtype, device=device).triu(1)


def looks_causal(mask: Tensor | None, is_causal: bool | None, size: int) -> bool:
    """Whether a mask is the causal one, if it is not said."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = causal_mask(size, mask.device, mask.dtype)
    return mask.shape == causal.shape and mask.equal(causal)


def length(sequences: Tensor, batch_first: bool) -> int:
    """How many places there are."""
    return sequences.shape[1 if sequences.dim() != 2 and batch_first else 0]


def clones(layer: Module, count: int) -> ModuleList:
    """So many copies of a layer, with the same values at first."""
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


def unrecorded(tensors: list[Tensor]) -> bool:
    """Whether no gradient is wanted."""
    return not is_grad_enabled() or not any(t.requires_grad for t in tensors)


class TransformerLayer(Module):
    """What the layers of encoder and decoder share: attentions and a small network, each with a norm and a dropout."""

    _attention_names: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        for name in self._attention_names:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **made))
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        count = len(self._attention_names) + 1
        for i in range(count):
            setattr(self, f"norm{i + 1}", LayerNorm(d_model, layer_norm_eps, **made))
        for i in range(count):
            setattr(self, f"dropout{i + 1}", Dropout(dropout))
        if isinstance(activation, str):
            if activation not in ACTIVATIONS:
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = ACTIVATIONS[activation]
        self.activation = activation

    def _through_blocks(self, x: Tensor, blocks: list[Callable[[Tensor], Tensor]]) -> Tensor:
        """x, and what each block adds to it; normalised before each block or after it."""
        for i, block in enumerate(blocks, 1):
            norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))
        return x

    def _attend_block(self, name: str, memory: Tensor | None, mask: Any, padding: Any, causal: bool) -> Any:
        """A block: attention of x to the memory, or to itself."""

        def block(x: Tensor) -> Tensor:
            seen = x if memory is None else memory
            attention = getattr(self, name)
            return attention(
                x, seen, seen, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=causal
            )[0]

        return block

    def _ff_block(self, x: Tensor) -> Tensor:
        """The small network."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention, then a small network at each place (torch.nn.TransformerEncoderLayer)."""

    _attention_names = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        settings = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        super().__init__(d_model, nhead, *settings, device, dtype)
        relu = self.activation is F.relu or isinstance(self.activation, ReLU)
        gelu = self.activation is F.gelu or isinstance(self.activation, GELU)
        self.activation_relu_or_gelu = 1 if relu else 2 if gelu else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(S, N, d_model) → the same shape; with batch_first N comes first; N may be missing."""
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = additive(src_mask, "src_mask", src.dtype)
        if self._takes_fused_path(src):
            # The kernel asks of a mask only where it is not 0, and that a mask is causal tells it nothing.
            mask, padding = (None if each is None else each.bool() for each in (mask, padding))
            is_causal = False
        return self._through_blocks(
            src, [self._attend_block("self_attn", None, mask, padding, is_causal), self._ff_block]
        )

    def _takes_fused_path(self, src: Tensor) -> bool:
        """Whether torch leaves this layer to one kernel for inference."""
        attention = self.self_attn
        if self.training or src.dim() != 3 or not attention.batch_first or attention.num_heads % 2:
            return False
        if not self.activation_relu_or_gelu or self.norm1.eps != self.norm2.eps or attention.in_proj_bias is None:
            return False
        kinds = ("_forward_hooks", "_forward_pre_hooks")
        hooked = any(module._kept_hooks.named(kind) for module in self.modules() for kind in kinds)
        return not hooked and unrecorded([src, *self.parameters()])


@own_constructor
class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to a memory, then a small network at each place (torch.nn.TransformerDecoderLayer)."""

    _attention_names = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(T, N, d_model), (S, N, d_model) → (T, N, d_model); with batch_first N comes first; N may be missing."""
        return self._through_blocks(
            tgt,
            [
                self._attend_block("self_attn", None, tgt_mask, tgt_key_padding_mask, tgt_is_causal),
                self._attend_block("multihead_attn", memory, memory_mask, memory_key_padding_mask, memory_is_causal),
                self._ff_block,
            ],
        )


# ------------------------------------------------------------------ stacks


class TransformerEncoder(Module):
    """A stack of encoder layers, copies of one, and perhaps a norm (torch.nn.TransformerEncoder)."""

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        reason = why_not_nested(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warn("enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer" + reason)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """(S, N, d_model) → the same shape; with batch_first N comes first; N may be missing."""
        padding = additive(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = additive(mask, "mask", src.dtype)
        out, first = src, self.layers[0]
        cut = padding is not None and mask is None and self._cuts_padding(src, padding, first)
        is_causal = looks_causal(mask, is_causal, length(src, first.self_attn.batch_first))
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if cut:
            out = out.masked_fill(padding.bool().unsqueeze(-1), 0)  # type: ignore[union-attr]
        return out if self.norm is None else self.norm(out)

    def _cuts_padding(self, src: Tensor, padding: Tensor, first: Any) -> bool:
        """Whether torch cuts the padding off for inference, and then fills its places with 0: sequences of several lengths
        as a nested tensor, if the padding follows them."""
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        places = padding.bool().long()
        aligned = not self.mask_check or bool((places.diff(dim=1) >= 0).all())
        return aligned and unrecorded([src, *first.parameters()])


def why_not_nested(layer: Any) -> str:
    """Why the encoder cannot cut off padding, in torch's words; "" where it can."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        ".norm_first was True": layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        ".norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, found in reasons.items() if found), "")


class TransformerDecoder(Module):
    """A stack of decoder layers, copies of one, and perhaps a norm (torch.nn.TransformerDecoder)."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(T, N, d_model), (S, N, d_model) → (T, N, d_model); with batch_first N comes first; N may be missing."""
        out = tgt
        causal = looks_causal(tgt_mask, tgt_is_causal, length(tgt, self.layers[0].self_attn.batch_first))
        for layer in self.layers:
            out = layer(
                out,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return out if self.norm is None else self.norm(out)


class Transformer(Module):
    """An encoder that reads one sequence and a decoder that writes another (torch.nn.Transformer)."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        made = {"bias": bias, "device": device, "dtype": dtype}
        if custom_encoder is None:
            reads = TransformerEncoderLayer(*settings, **made)
            custom_encoder = TransformerEncoder(reads, num_encoder_layers, LayerNorm(d_model, layer_norm_eps, **made))
        self.encoder = custom_encoder
        if custom_decoder is None:
            writes = TransformerDecoderLayer(*settings, **made)
            custom_decoder = TransformerDecoder(writes, num_decoder_layers, LayerNorm(d_model, layer_norm_eps, **made))
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        """Draw all weights anew; biases and norms stay."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(S, N, d_model), (T, N, d_model) → (T, N, d_model); with batch_first N comes first; N may be missing."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    generate_square_subsequent_mask = staticmethod(causal_mask)
