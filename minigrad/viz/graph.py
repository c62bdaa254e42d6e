"""What a graph consists of, read through torch's interface: nodes in walking order, and text about them.

What it is for: the one place that knows how torch and minigrad spell things. What it is not: it draws nothing
and keeps nothing; every function reads, and returns plain data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import Any

SMALL = 12  # entries; larger tensors are shown by their shape
WIDE = 4  # entries on a line


def tensors_in(outputs: Any) -> list[Any]:
    """`outputs` as a list of tensors. TypeError (bilingual) for anything else."""
    found = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    for tensor in found:
        if not is_tensor(tensor):
            raise TypeError(
                f"要画的应是张量或张量的列表，却收到 {type(tensor).__name__}。"
                f" · A tensor or a list of tensors can be drawn, not {type(tensor).__name__}."
            )
    return found


def is_tensor(value: Any) -> bool:
    """Whether `value` is a tensor of an engine with torch's interface."""
    # Asked of the class: looking up attributes of arbitrary objects can run code.
    return hasattr(type(value), "grad_fn") and hasattr(type(value), "shape")


def named_tensors(params: Any) -> list[tuple[str, Any]]:
    """(name, tensor) pairs of a dict, of a module, or of pairs such as `named_parameters()`.

    What is no tensor is left out, and so are names with a leading underscore: `params=globals()` works.
    """
    if hasattr(params, "named_parameters"):
        params = params.named_parameters()
    pairs: Iterable[tuple[str, Any]] = params.items() if isinstance(params, Mapping) else params or ()
    return [(name, value) for name, value in list(pairs) if is_tensor(value) and not name.startswith("_")]


def next_nodes(node: Any) -> list[tuple[Any, int]]:
    """The edges that lead on from `node`, without those to inputs that want no gradient."""
    return [(target, number) for target, number in node.next_functions if target is not None]


def walk_order(roots: Iterable[Any]) -> list[Any]:
    """All nodes that the walk from `roots` reaches, in the order in which torch's engine runs them.

    A node is ready when every edge into it has delivered; of the ready ones, the latest recorded goes first. Leaves that get
    ready together come in the order of their edges, which torch does not keep to.
    """
    waiting_for: Counter[Any] = Counter()
    roots = list(dict.fromkeys(roots))
    seen, stack = set(roots), list(roots)
    while stack:
        for target, _ in next_nodes(stack.pop()):
            waiting_for[target] += 1
            if target not in seen:
                seen.add(target)
                stack.append(target)
    order: list[Any] = []
    ready: list[tuple[int, int, Any]] = []
    arrival = iter(range(len(seen)))  # breaks ties in the heap before nodes would be compared
    for root in roots:
        if not waiting_for[root]:
            heappush(ready, (-root._sequence_nr(), next(arrival), root))
    while ready:
        node = heappop(ready)[-1]
        order.append(node)
        for target, _ in next_nodes(node):
            waiting_for[target] -= 1
            if not waiting_for[target]:
                heappush(ready, (-target._sequence_nr(), next(arrival), target))
    return order


def short_name(node: Any) -> str:
    """`MulBackward0`; torch's C++ namespaces are left out."""
    return str(node.name()).rsplit("::", 1)[-1]


def accumulates(node: Any) -> bool:
    """Whether `node` is a leaf's AccumulateGrad."""
    return short_name(node) == "AccumulateGrad"


def numbers(tensor: Any) -> str | None:
    """The entries of a small tensor, a line for each row, more for a long one; None for a large tensor."""
    return None if math.prod(tensor.shape) > SMALL else _bracketed(tensor.detach().tolist())


def _bracketed(values: Any, depth: int = 1) -> str:
    if not isinstance(values, list):
        return f"{values:.4g}" if isinstance(values, float) else str(values)
    entries = [_bracketed(value, depth + 1) for value in values]
    wide = 1 if values and isinstance(values[0], list) else WIDE
    lines = [", ".join(entries[at : at + wide]) for at in range(0, len(entries), wide)]
    return "[" + (",\n" + " " * depth).join(lines) + "]"


def contents(tensor: Any) -> str:
    """The entries of a small tensor, the shape of a large one, or "None"."""
    if tensor is None:
        return "None"
    return numbers(tensor) or size_text(tensor.shape)


def equation(name: str, text: str) -> str:
    """`grad = [1, 2]`; a matrix starts on a line of its own."""
    return f"{name} =\n{text}" if "\n" in text else f"{name} = {text}"


def size_text(shape: Any, dtype: Any = "float32") -> str:
    """`(3, 4)`, with the dtype behind it unless it is float32; `()` reads as a number without dimensions."""
    name = str(dtype).rpartition(".")[-1]
    return str(tuple(shape)) + (f" {name}" if name != "float32" else "")


def output_sizes(node: Any) -> str:
    """Sizes of what the operation returned; what several outputs share is written once. "" where a node knows none."""
    recorded = getattr(node, "_input_metadata", None) or ()
    sizes = [size_text(each.shape, getattr(each, "dtype", "float32")) for each in recorded]
    if len(sizes) > 1 and len(set(sizes)) == 1:
        return f"{len(sizes)} × {sizes[0]}"
    return ", ".join(sizes)


def saved_tensors(node: Any) -> Iterator[tuple[str, Any]]:
    """(name, tensor) of what `node` keeps for its rule; in a tensor's place, the words for why it is gone."""
    listed = [name for name in dir(node) if name.startswith("_saved_")]
    function = getattr(
        node, "_forward_cls", None
    )  # a custom one; some let go of what they have saved as it is looked at
    if (
        not listed
        and hasattr(type(node), "saved_tensors")
        and not getattr(function, "clear_saved_tensors_on_access", False)
    ):
        listed = ["saved_tensors"]
    for attribute in listed:
        name = attribute.removeprefix("_saved_")
        try:
            value = getattr(node, attribute)
        except RuntimeError as error:
            if attribute != name and not hasattr(type(node), f"_raw_saved_{name}"):
                continue  # worked out from a tensor, and none itself
            changed = "modified by an inplace operation" in str(error)
            yield name, "已被改写 overwritten since" if changed else "已释放 freed"
            continue
        for tensor in value if isinstance(value, list | tuple) else [value]:
            if is_tensor(tensor):
                yield name, tensor


def saved_lines(node: Any, names: Mapping[int, str]) -> list[str]:
    """One line for each saved tensor; leaves are called by their names, which are given by id."""
    return [
        f"{name}: {value}" if isinstance(value, str) else f"{name} = {_saved_text(value, node, names)}"
        for name, value in saved_tensors(node)
    ]


def _saved_text(tensor: Any, node: Any, names: Mapping[int, str]) -> str:
    if id(tensor) in names:
        return names[id(tensor)]
    size = size_text(tensor.shape, tensor.dtype)
    if tensor.grad_fn is node:
        return f"自身的输出 own output {size}"
    return (numbers(tensor) or size) if not tuple(tensor.shape) else size
