"""All operations, and the one table that says which are methods of Tensor, functions of the package, operators.

A new operation is its entry in one of the modules and its name here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from . import compare, convert, index, linalg, nn, pointwise, reduce, shape
from .inplace import inplace

MODULES = (pointwise, reduce, linalg, shape, index, compare, convert, nn)


def find(name: str) -> Callable[..., Any]:
    """The operation of that name, from whichever module has it."""
    for module in MODULES:
        function = module.__dict__.get(name)
        if function is not None:
            return function
    raise LookupError(f"no module of minigrad.ops defines {name!r}")


# Both a method and a function, x.exp() and exp(x).
BOTH = """
    add sub mul div neg abs relu exp log tanh sigmoid sqrt sin cos pow
    sum mean max min argmax argmin
    matmul mm mv dot
    reshape permute transpose t unsqueeze squeeze clone unbind reciprocal
    eq ne lt le gt ge isnan isinf isfinite allclose equal sign
    softmax log_softmax addmm
""".split()
METHODS = """
    view expand type to double float half long int bool cpu cuda type_as numel dim size contiguous is_contiguous
    new_zeros new_tensor stack_all copied fill_ zero_ copy_ scatter_index to_numpy_dtype element_size data_ptr stride is_floating_point
""".split()
FUNCTIONS = "cat stack where numel is_tensor is_floating_point".split()
INPLACE = "add sub mul div neg abs relu exp log tanh sigmoid sqrt sin cos pow".split()
ALIASES = {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
           "swapaxes": "transpose", "concat": "cat"}
PROPERTIES = {"T": "t_property", "mT": "mt_property"}

OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "matmul": "matmul", "neg": "neg", "abs": "abs",
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "getitem": "getitem", "setitem": "setitem",
    "invert": "logical_not", "and": "logical_and", "or": "logical_or", "xor": "logical_xor", "iter": "iterate",
}  # fmt: skip
REFLECTED = {"add": "add", "sub": "rsub", "mul": "mul", "truediv": "rdiv", "pow": "rpow", "matmul": "matmul"}
IN_PLACE_OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow"}


def reflected(operation: Callable[..., Any], node: type | None = None) -> Callable[..., Any]:
    """The operation with its operands the other way round, as Python's __radd__ and the like want it."""
    return lambda self, other: operation(other, self)


def install() -> dict[str, Callable[..., Any]]:
    """Hang the methods and operators on Tensor; the functions of the package, by name."""
    for name in (*BOTH, *METHODS):
        setattr(Tensor, name, find(name))
    for name in INPLACE:
        setattr(Tensor, name + "_", inplace(find(name)))
    for name, target in PROPERTIES.items():
        setattr(Tensor, name, property(find(target)))
    for dunder, name in OPERATORS.items():
        setattr(Tensor, f"__{dunder}__", find(name))
    for dunder, name in REFLECTED.items():
        made = find(name) if name[0] == "r" else reflected(find(name))
        setattr(Tensor, f"__r{dunder}__", made)
    for dunder, name in IN_PLACE_OPERATORS.items():
        setattr(Tensor, f"__i{dunder}__", getattr(Tensor, name + "_"))
    functions = {name: find(name) for name in (*BOTH, *FUNCTIONS)}
    for alias, name in ALIASES.items():
        functions[alias] = functions[name]
        if name in BOTH:
            setattr(Tensor, alias, functions[name])
    return functions


NAMES = install()
