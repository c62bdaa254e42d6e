"""MultiheadAttention: the parameters of attention with several heads. What it computes is in ops/multi_head.py."""

from __future__ import annotations

from typing import Any

from ..autograd.grad_mode import is_grad_enabled
from ..ops.multi_head import additive
from ..tensor import Tensor
from . import functional as F
from . import init
from .layers import Linear, unset
from .module import Module

SEPARATE = ("q_proj_weight", "k_proj_weight", "v_proj_weight")


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that torch prints for it."""


class MultiheadAttention(Module):
    """Attention with several heads (torch.nn.MultiheadAttention): query, key, value → what they attend to, and the weights.

    kdim, vdim: sizes of keys and values, if others than embed_dim. add_bias_kv, add_zero_attn: one more key to look at,
    learnt, or zeros.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim, self.vdim = (embed_dim if size is None else size for size in (kdim, vdim))
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        made = {"device": device, "dtype": dtype}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = unset(3 * embed_dim, embed_dim, **made)
        for name, size in zip(SEPARATE, (embed_dim, self.kdim, self.vdim), strict=True):
            self.register_parameter(name, None if self._qkv_same_embed_dim else unset(embed_dim, size, **made))
        if not self._qkv_same_embed_dim:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", unset(3 * embed_dim, **made) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **made)
        for name in ("bias_k", "bias_v"):
            setattr(self, name, unset(1, 1, embed_dim, **made) if add_bias_kv else None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw the parameters anew, but for the weight of the output projection."""
        for name in ("in_proj_weight", *SEPARATE):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """(targets, N, embed_dim), (sources, N, kdim), (sources, N, vdim) → (targets, N, embed_dim), (N, targets, sources);
        with batch_first N comes first; N may be missing. Masks: True where nobody may look, or numbers to add."""
        by_numbers = any(mask is not None and mask.is_floating_point() for mask in (attn_mask, key_padding_mask))
        key_padding_mask = additive(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        attn_mask = additive(attn_mask, "attn_mask", query.dtype)
        fused = query is key is value and not by_numbers and self._takes_fused_path(query)
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = turn(query, key, value)
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights or fused,
            attn_mask,
            not self._qkv_same_embed_dim,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal and not fused,
        )
        return out.transpose(1, 0) if turned else out, weights if need_weights else None

    def _takes_fused_path(self, query: Tensor) -> bool:
        """Whether torch leaves self-attention to one kernel for inference.

        That kernel differs from the steps in the last digits; in that a row that may look nowhere becomes nan, whether or
        not the weights are asked for; and in that it does not look at is_causal.
        """
        if self.training or not self.batch_first or query.dim() != 3 or self.num_heads % 2 or self.add_zero_attn:
            return False
        taken = [self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias]
        if None in taken or self.bias_k is not None or query.dtype is not self.in_proj_weight.dtype:
            return False
        return not is_grad_enabled() or not any(t.requires_grad for t in (query, *taken))


def turn(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All with the batch in the other of the first two places; those that are one tensor stay one."""
    q = query.transpose(1, 0)
    if key is not value:
        return q, key.transpose(1, 0), value.transpose(1, 0)
    k = q if query is key else key.transpose(1, 0)
    return q, k, k
