"""Tensors of random numbers: new ones, and those that are overwritten. The numbers themselves: random.py.

Numbers are drawn in host memory and moved to the device that was asked for. What is drawn is a step function of what it
was drawn from: its gradient is 0.
"""

from __future__ import annotations

import math
from typing import Any

from .backend import array_module, memory_order, numpy, to_host
from .creation import finish, shape_of
from .dtypes import BY_NUMPY, as_dtype, as_numpy, get_default_dtype, int64, limits
from .errors import warn
from .ops.arguments import Bool, Dtype, Float, Int, Operand, is_int, is_ints, type_name
from .ops.define import Op
from .ops.inplace import check_memory, check_writable, write
from .ops.promotion import Number, no_kernel, unsupported
from .ops.unary import step_vjp
from .ops.validate import ABSENT, flag, number
from .random import Generator, fused, source
from .ranges import empty
from .strides import filling_order
from .tensor import Tensor, from_array

# ------------------------------------------------------------------ new tensors


def _drawn(
    draw: str, size: tuple[Any, ...], generator: Any, dtype: Dtype | None, rest: dict[str, Any], like: Any = None
) -> Tensor:
    """A tensor of drawn numbers; those for one like another follow its order in memory."""
    if not size:
        return NotImplemented
    shape = shape_of(size)
    kind = as_numpy(dtype) or get_default_dtype().np
    if kind.kind != "f" and (draw == "uniform" or 0 not in shape):
        kernel = {"uniform": "check_uniform_bounds", "normal": "normal_kernel_cpu"}[draw]
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[kind].type_name}'")
    place = numpy.empty(shape, kind) if like is None else array_module(like).empty_like(like, kind, memory_order(like))
    drawn = drawn_for(place, source(generator, rest["device"]), draw)
    return finish(drawn.astype(kind, copy=False), **rest)


def drawn_for(place: Any, generator: Generator, draw: str) -> Any:
    """Numbers for every element of an array, one after the other as they lie in memory. torch draws normal numbers in
    blocks only where the array is in order."""
    blocks = {"blocks": bool(place.flags.c_contiguous)} if draw == "normal" else {}
    return filling_order(place, getattr(generator, draw)(place.size, place.dtype, **blocks))


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform numbers in [0, 1) (torch.rand)."""
    return _drawn("uniform", size, generator, dtype, {"device": device, "requires_grad": requires_grad})


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Standard normal numbers (torch.randn)."""
    return _drawn("normal", size, generator, dtype, {"device": device, "requires_grad": requires_grad})


def rand_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """rand of another tensor's size, dtype and device (torch.rand_like)."""
    rest = {"device": device or input.device, "requires_grad": requires_grad}
    return _drawn("uniform", (input.shape,), None, dtype or input.dtype, rest, input.storage())


def randn_like(input: Tensor, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """randn of another tensor's size, dtype and device (torch.randn_like)."""
    rest = {"device": device or input.device, "requires_grad": requires_grad}
    return _drawn("normal", (input.shape,), None, dtype or input.dtype, rest, input.storage())


def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Whole numbers from low (0 if left out) to high - 1, int64 by default (torch.randint)."""
    if size is None:
        low, high, size = None, low, high
    if high is None:
        low, high = None, low
    for name, value in (("low", low), ("high", high)):
        if value is not None and not is_int(value):
            place = 2 if name == "high" and low is not None else 1
            raise TypeError(f"randint(): argument '{name}' (position {place}) must be int, not {type_name(value)}")
    if not isinstance(size, list | tuple) or high is None:
        return NotImplemented
    low = 0 if low is None else low
    check_bounds(low, high, int64 if dtype is None else as_dtype(dtype))
    values = source(generator, device).integers(low, high, math.prod(size)).reshape(tuple(size))
    return finish(values.astype(as_numpy(dtype) or values.dtype), device, requires_grad)


def randint_like(
    input: Tensor, low: Int | None = None, high: Int | None = None, *, dtype: Dtype | None = None, device: Any = None
) -> Tensor:
    """randint of another tensor's size, dtype and device, from 0 if only one bound is given (torch.randint_like)."""
    if high is None:
        low, high = None, low
    if high is None:
        return NotImplemented
    drawn = randint(low, high, (input.numel(),), dtype=dtype or input.dtype, device=device or input.device)
    data = input.storage()
    return from_array(filling_order(array_module(data).empty_like(data, order=memory_order(data)), drawn._data))


def randperm(
    n: Int,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """0 … n - 1 in random order, int64 by default (torch.randperm)."""
    (count,) = shape_of((n,))
    values = source(generator, device).permutation(count)
    return finish(values.astype(as_numpy(dtype) or values.dtype), device, requires_grad)


def normal(
    mean: Any,
    std: Any = ABSENT,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers of the given means and deviations, tensors or numbers (torch.normal)."""
    moments = [mean] if std is ABSENT else [mean, std]
    if not all(isinstance(each, (Tensor, *Number)) for each in moments):
        return NotImplemented
    if size is not None:
        if len(moments) < 2 or any(isinstance(each, Tensor) for each in moments) or not is_ints(size):
            return NotImplemented
        out = empty(size, dtype=dtype, device=device)
        return normal_(out, mean, std, generator=generator).requires_grad_(requires_grad)
    std = 1.0 if std is ABSENT else std
    inputs = {name: x for name, x in (("mean", mean), ("std", std)) if isinstance(x, Tensor)}
    if not inputs:
        return NotImplemented
    least = std.detach().min() if isinstance(std, Tensor) and std._data.size else 0
    if not isinstance(std, Tensor) and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if least < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    rest = {name: x for name, x in (("mean", mean), ("std", std)) if not isinstance(x, Tensor)}
    stream = source(generator, (std if "std" in inputs else mean).device)
    return NORMAL[tuple(inputs)](*inputs.values(), **rest, generator=stream)


def _around(mean: Any, std: Any, generator: Any) -> Any:
    like = mean if hasattr(mean, "dtype") else std
    if like.dtype.kind != "f":
        raise unsupported("normal_kernel_cpu", *[x for x in (mean, std) if hasattr(x, "dtype")])
    shape = numpy.broadcast_shapes(*[x.shape for x in (mean, std) if hasattr(x, "dtype")])
    noise = generator.normal(math.prod(shape), like.dtype).reshape(shape)
    if not hasattr(std, "dtype"):
        noise, std = fused(noise, std, 0), 1  # torch draws with this deviation and adds the mean
    return (array_module(like).asarray(noise.astype(like.dtype, copy=False)) * std + mean).astype(
        like.dtype, copy=False
    )


# torch.normal by which of mean and std are tensors; what is drawn has the gradient 0 for both
NORMAL: dict[tuple[str, ...], Op] = {
    ("mean",): Op("NormalBackward1", lambda mean, std, generator: _around(mean, std, generator), mean=step_vjp),
    ("std",): Op("NormalBackward2", lambda std, mean, generator: _around(mean, std, generator), std=step_vjp),
    ("mean", "std"): Op("NormalBackward3", _around, stretches=True, mean=step_vjp, std=step_vjp),
}


def _bernoulli(x: Any, generator: Any) -> Any:
    probability = to_host(x)
    if x.dtype.kind != "f":
        raise unsupported("bernoulli_tensor_cpu_p_", x)
    if not ((probability >= 0) & (probability <= 1)).all():
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    drawn = generator.uniform(x.size, numpy.promote_types(x.dtype, numpy.float32)).reshape(x.shape)
    return array_module(x).asarray((drawn < probability).astype(x.dtype))


bernoulli_op = Op("BernoulliBackward0", _bernoulli, self=step_vjp)
# In place, with a probability for each element.
bernoulli_each_op = Op("BernoulliBackward1", lambda x, p, values: values, stretches=True, self=step_vjp, p=step_vjp)


def bernoulli(input: Tensor, p: Float = ABSENT, *, generator: Generator | None = None) -> Tensor:
    """1 with the probabilities given in `input`, or with one for all, else 0; its gradient is 0 (torch.bernoulli)."""
    if p is not ABSENT:
        return bernoulli_(input.detach().clone(), p, generator=generator)
    return bernoulli_op(input, generator=source(generator, input.device))


def multinomial(
    input: Tensor, num_samples: Int, replacement: Bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Numbers of categories, drawn with the weights in `input` (torch.multinomial).

    input: (categories,) or (rows, categories), not negative, need not sum to 1 → int64 (…, num_samples).
    """
    stream, data = source(generator, input.device), to_host(input._data)
    check_weights(data, num_samples, flag(replacement))
    rows = data.reshape(-1, data.shape[-1])
    if replacement and num_samples > 1:
        below = rows.cumsum(-1, dtype=data.dtype)
        below /= below[:, -1:]
        below[:, -1:] = 1
        points = stream.doubles(len(rows) * num_samples).reshape(len(rows), num_samples)
        chosen = first_not_below(below, points)
    else:  # weights over waiting times: the first to come is k with a probability that goes with k's weight
        quotients = rows / stream.exponential(rows.size, rows.dtype).reshape(rows.shape)
        chosen = quotients.argmax(-1) if num_samples == 1 else from_array(quotients).topk(num_samples, dim=-1)[1]._data
    return finish(chosen.reshape((*data.shape[:-1], num_samples)), input.device)


def first_not_below(rows: Any, points: Any) -> Any:
    """In each ascending row, the index of the first number that is not smaller than a point: by halves, all points at once.

    rows: (n, categories). points: (n, samples), none above the end of its row → int64 (n, samples).
    """
    flat, last = rows.reshape(-1), rows.shape[1] - 1
    begin = numpy.arange(0, flat.size, last + 1)[:, None]
    found = numpy.zeros(points.shape, numpy.int64)
    for bit in reversed(range(last.bit_length())):
        step = 1 << bit
        found += step * (flat.take(begin + numpy.minimum(found + (step - 1), last)) < points)
    return found


def check_weights(data: Any, num_samples: int, replacement: bool) -> None:
    """What multinomial refuses, in torch's words."""
    if data.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if data.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {BY_NUMPY[data.dtype].type_name}"
        )
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > data.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    total = numpy.add.reduce(data, -1, dtype=float)
    if data.min(initial=0) < 0 or not total.max(initial=0) < math.inf:
        if replacement and num_samples > 1:
            raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (total > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


# ------------------------------------------------------------------ in place


# What came before a draw no longer matters: its gradient is 0.
DRAWN = {
    node: Op(node, lambda x, values: values, self=step_vjp)
    for node in (
        "UniformBackward0", "NormalBackward0", "BernoulliBackward2", "ExponentialBackward0",
        "RandomBackward0", "RandomBackward1", "RandomBackward2",
    )
}  # fmt: skip


INEXACT = (
    "{name} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations {kind} can support discrete uniform "
    "distribution only within this range. This warning will become an error in version 1.7 release, please fix the code in "
    "advance"
)


def overwrite(tensor: Tensor, values: Any, node: str = "NormalBackward0") -> Tensor:
    """Put values into a tensor: drawn ones, which come flat, in the order in which the elements lie in memory."""
    check_memory(tensor)
    data = tensor._data
    values = values.astype(data.dtype, copy=False)
    values = finish(filling_order(data, values) if values.ndim == 1 else values, tensor.device)._data
    write(tensor, DRAWN[node](tensor, values=values))
    return tensor


def uniform_(self: Tensor, a: Float = 0, b: Float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element drawn uniformly from [a, b), in place (torch.Tensor.uniform_)."""
    check_writable(self)
    no_kernel("check_uniform_bounds", self, "biu")
    kind = self._data.dtype
    (least, most), name = limits(kind), self.dtype
    for which, bound in (("from", a), ("to", b)):
        if not least <= bound <= most:
            raise RuntimeError(f"{which} is out of bounds for {name.c_name}")
    if b - a > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{name.type_name}>::max(), but found to={b:g} and from={a:g} which "
            "result in to-from to exceed the limit"
        )
    if a > b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}")
    wide = numpy.dtype(numpy.float32) if kind == numpy.float16 else kind
    drawn = source(generator, self.device).uniform(self._data.size, wide)
    drawn = fused(drawn, float(wide.type(b) - wide.type(a)), a).astype(wide, copy=False).astype(kind, copy=False)
    drawn[drawn == kind.type(b)] = a  # rounding may come to b, which is not one of them
    return overwrite(self, drawn, "UniformBackward0")


def normal_(self: Tensor, mean: Float = 0, std: Float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element drawn from a normal distribution, in place (torch.Tensor.normal_)."""
    check_writable(self)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if self._data.size:
        no_kernel("normal_kernel_cpu", self, "biu")
    return overwrite(self, fused(drawn_for(self._data, source(generator, self.device), "normal"), std, number(mean)))


def bernoulli_(self: Tensor, p: Operand = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Every element 1 with probability p, one for all or a tensor of them, else 0, in place (torch.Tensor.bernoulli_)."""
    check_writable(self)
    if isinstance(p, Tensor):
        check_memory(self)
        drawn = bernoulli(p.detach().expand(self.shape), generator=generator)._data.astype(self._data.dtype, copy=False)
        write(self, bernoulli_each_op(self, p, values=drawn))
        return self
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return overwrite(self, source(generator, self.device).doubles(self._data.size) < p, "BernoulliBackward2")


def exponential_(self: Tensor, lambd: Float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element drawn from an exponential distribution, in place (torch.Tensor.exponential_)."""
    check_writable(self)
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    check_memory(self)
    if self._data.size and self._data.dtype.kind != "f":
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {self.dtype.type_name}"
        )
    drawn = source(generator, self.device).exponential(self._data.size, numpy.dtype(float), lambd)
    return overwrite(self, drawn, "ExponentialBackward0")


def random_(
    self: Tensor, low: Int | None = ABSENT, high: Int | None = ABSENT, *, generator: Generator | None = None
) -> Tensor:
    """Whole numbers from low to high - 1 in place, from 0 where only one is given (torch.Tensor.random_).

    Where there is no last one: up to the last that the dtype can tell from its neighbours.
    """
    check_writable(self)
    given: list[Any] = [bound for bound in (low, high) if bound is not ABSENT]
    if given[:1] == [None] or not all(bound is None or is_int(bound) for bound in given):
        return NotImplemented
    first = 0 if len(given) < 2 else given[0]
    end = whole_numbers(self.dtype)[2] + 1 if not given or given[-1] is None else given[-1]
    check_memory(self)
    check_bounds(first, end, self.dtype)
    drawn = source(generator, self.device).integers(first, end, self._data.size, 2**28 if given else 2**32)
    return overwrite(self, drawn, f"RandomBackward{2 - len(given)}")


def check_bounds(low: int, high: int, kind: Dtype) -> None:
    """RuntimeError where no whole number is at least low and below high, or where the dtype does not go that far; a
    warning where it cannot tell all of them apart."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    least, most, exact = whole_numbers(kind)
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= most:
            raise RuntimeError(f"{name} is out of bounds for {kind.c_name}")
        if abs(bound) > exact and kind.is_floating_point:
            warn(INEXACT.format(name=name, bits=exact.bit_length() - 1, kind=kind.c_name))


def whole_numbers(kind: Dtype) -> tuple[float, float, int]:
    """The least and the greatest number of a dtype, and up to which it has every whole one."""
    least, greatest = limits(kind.np) if kind.category else (0, 1)
    return least, greatest, 2 ** (numpy.finfo(kind.np).nmant + 1) if kind.is_floating_point else greatest
