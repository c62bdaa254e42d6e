"""What is not a tensor and is pickled all the same: the package's functions, and what the operations return by name."""

import pickle

import pytest

import minigrad
from minigrad import linalg, return_types
from minigrad.nn import functional

HOMES = {minigrad: "torch", linalg: "torch.linalg", functional: "torch.nn.functional", minigrad.Tensor: "torch.Tensor"}


def functions(home):
    names = [name for name in dir(home) if not name.startswith("_") and hasattr(home, name)]
    return {name: value for name in names if type(value := getattr(home, name)) is type(functions)}


@pytest.mark.parametrize("home", HOMES, ids=HOMES.values())
def test_a_function_is_pickled_by_where_it_is_found(home):
    found = functions(home)
    assert len(found) > 20
    for name, function in found.items():
        assert pickle.loads(pickle.dumps(function)) is function, name


def test_a_model_that_keeps_a_function_is_pickled():
    layer = minigrad.nn.TransformerEncoderLayer(4, 2, 8, activation=minigrad.relu)
    assert pickle.loads(pickle.dumps(layer)).activation is minigrad.relu


NAMED = (
    "x.max(0)",
    "x.sort()",
    "T.aminmax(x)",
    "T.linalg.svd(x)",
    "T.linalg.slogdet(x)",
    "T.linalg.eigh(x)",
    "T.linalg.qr(x)",
)


@pytest.mark.parametrize("expression", NAMED)
def test_what_an_operation_returns_by_name_is_pickled(expression):
    x = minigrad.tensor([[2.0, 1.0], [1.0, 3.0]])
    found = eval(expression, {"T": minigrad, "x": x})
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found) is getattr(return_types, type(found).__name__)
    assert repr(again) == repr(found)


def test_there_is_no_other_return_type():
    with pytest.raises(AttributeError, match="no attribute 'maximum'"):
        return_types.maximum
