"""`minigrad.printing` against the installed torch: the same text, character for character."""

import ast
import inspect
import sys
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigrad import printing

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
FLOATS = DTYPES[:3]


@pytest.fixture(autouse=True)
def same_options_on_both_sides():
    """Every test starts from the default options and leaves them behind."""
    set_both(profile="default")
    yield
    assert printing.get_printoptions() == torch._tensor_str.get_printoptions()
    set_both(profile="default")


def set_both(**options):
    printing.set_printoptions(**options)
    torch.set_printoptions(**options)


def ours(array, **keywords):
    return printing.format_tensor(array, dtype_name=array.dtype.name, **keywords)


def assert_same(array):
    assert ours(array) == repr(torch.from_numpy(np.array(array)))


def arrays(dtypes, shapes):
    """Arrays whose magnitudes lie close together or far apart, some whole, with nan and inf."""

    def of(dtype):
        if dtype not in FLOATS:
            return hnp.arrays(dtype, shapes)
        width = np.finfo(dtype).bits
        near = st.floats(-2000, 2000, width=width)
        entries = st.sampled_from(
            [
                st.floats(width=width),
                near,
                near.map(np.round),
                st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-4, 1000.0, 1001.0, np.nan, np.inf, -np.inf]),
                st.integers(0, 2000).map(float),
            ]
        )
        return entries.flatmap(lambda e: hnp.arrays(dtype, shapes, elements=e.map(np.dtype(dtype).type)))

    return st.sampled_from(dtypes).flatmap(of)


SMALL = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
WIDE = hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=40)
BIG_SHAPES = [
    (1000,),
    (1001,),
    (5000,),
    (2, 501),
    (7, 200),
    (6, 6, 30),
    (1, 1, 1001),
    (4, 300, 1),
    (3, 2, 2, 100),
]

VALUES = {
    "whole": [1.0, 2.0, 3.0],
    "plain": [1.5, -2.25, 100.125],
    "zeros": [0.0, -0.0],
    "negative zero among decimals": [-0.0, 1.5],
    "only nan": [np.nan],
    "only not finite": [np.nan, np.inf, -np.inf, 0.0],
    "nan among whole": [1.0, np.nan, -np.inf],
    "nan among decimals": [1.25, np.nan, -np.inf],
    "nan among powers of ten": [1e-5, np.nan, -np.inf, 0.0],
    "ratio exactly 1000": [1.0, 1000.0],
    "ratio above 1000": [1.0, 1001.0],
    "ratio above 1000, decimals": [0.5, 501.5],
    "zero leaves the ratio alone": [0.0, 2.5, 2000.0],
    "exactly 1e8": [1e8, 2e7],
    "above 1e8": [1.1e8, 1e8],
    "below 1e-4": [0.99e-4, 1e-4],
    "tenths": [0.1, 0.2, 0.3],
    "rounded half": [0.00005, 0.00015, 0.12345, 2.5],
    "largest double": [1.7976931348623157e308, 5e-324],
    "thirds": [1 / 3] * 30,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_floats_choose_torchs_notation(values, dtype):
    with np.errstate(over="ignore"):
        array = np.array(values).astype(dtype)
    assert_same(array)
    assert_same(array[:1].reshape(()))
    assert_same(np.tile(array, (2, 3, 1)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (2, 0, 3), (1,), (1, 1, 1), (2, 2, 2, 2), (50,), (3, 30)])
def test_every_dtype_and_shape(dtype, shape):
    assert_same((np.arange(np.prod(shape)).reshape(shape) - 5).astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", BIG_SHAPES, ids=str)
def test_large_tensors_are_summarised(dtype, shape):
    entries = np.random.default_rng(0).normal(size=shape) * 50
    assert_same(np.abs(entries).astype(dtype))


def test_a_summary_is_laid_out_by_what_it_shows():
    array = np.ones(2000, dtype="float32")
    array[1000] = 1e9
    assert_same(array)
    assert "e+" not in ours(array)


@pytest.mark.slow
@settings(max_examples=250, deadline=None, derandomize=True)
@given(arrays(DTYPES, SMALL))
def test_random_arrays(array):
    assert_same(array)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(arrays(FLOATS, WIDE))
def test_random_arrays_that_wrap(array):
    assert_same(array)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 8),
        "threshold": st.sampled_from([0, 3, 10, 100, 1000, float("inf")]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.sampled_from([0, 1, 10, 20, 33, 40, 80, 120, 200]),
        "profile": st.sampled_from(["default", "short", "full", "unheard of"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


@pytest.mark.slow
@settings(max_examples=250, deadline=None, derandomize=True)
@given(arrays(DTYPES, SMALL | WIDE), OPTIONS)
def test_random_options(array, options):
    with printing.printoptions(**options), torch._tensor_str.printoptions(**options):
        assert printing.get_printoptions() == torch._tensor_str.get_printoptions()
        assert_same(array)


@pytest.mark.parametrize("options", [{"threshold": 0}, {"threshold": 0, "edgeitems": 0}, {"linewidth": 0}], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 0), (7,), (7, 1), (1, 7)], ids=str)
def test_the_smallest_tensors_under_the_tightest_options(shape, dtype, options):
    set_both(**options)
    assert_same(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


def test_options_stay_except_scientific_mode():
    set_both(precision=2, sci_mode=True)
    set_both(linewidth=30)
    assert printing.get_printoptions() == torch._tensor_str.get_printoptions()
    assert printing.OPTIONS.precision == 2 and printing.OPTIONS.sci_mode is None


def test_printoptions_are_restored_after_an_exception():
    with pytest.raises(KeyError), printing.printoptions(precision=1, sci_mode=True):
        raise KeyError
    assert printing.OPTIONS == printing.PrintOptions()


# Each suffix meets each length of a last line, so that every one of them is pushed to a new line once.
@pytest.mark.parametrize("length", range(12))
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_suffixes_wrap_where_torch_wraps(length, dtype):
    array = np.arange(length).astype(dtype) / 4
    leaf = torch.from_numpy(array.copy()).requires_grad_()
    assert ours(array, requires_grad=True) == repr(leaf)
    result = leaf[:].clone()
    assert ours(array, requires_grad=True, grad_fn_name="CloneBackward0") == repr(result)
    empty = leaf[:0].reshape(0, 3)
    assert ours(array[:0].reshape(0, 3), requires_grad=True, grad_fn_name="ViewBackward0") == repr(empty)


@pytest.mark.parametrize("linewidth", range(8, 100, 4))
def test_suffixes_wrap_at_any_linewidth(linewidth):
    set_both(linewidth=linewidth)
    array = np.linspace(0, 1, 12, dtype="float64").reshape(2, 6)
    assert ours(array, requires_grad=True) == repr(torch.from_numpy(array.copy()).requires_grad_())


@pytest.mark.parametrize("default", FLOATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_default_dtype_needs_no_suffix(dtype, default):
    filled, empty = np.ones(2, dtype), np.ones(0, dtype)
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        wanted = repr(torch.from_numpy(filled)), repr(torch.from_numpy(empty))
    finally:
        torch.set_default_dtype(before)
    assert (ours(filled, default_dtype=default), ours(empty, default_dtype=default)) == wanted


class FromElsewhere(torch.Tensor):
    """Says that it lives on a GPU, so that torch's suffix can be seen on a machine without one."""

    device = torch.device("cuda:0")


def on_gpu(array, patch):
    if torch.cuda.is_available():
        return torch.from_numpy(array).cuda(), "tensor"
    patch.setattr(torch.cuda, "current_device", lambda: 0)
    return torch.from_numpy(array).as_subclass(FromElsewhere), "FromElsewhere"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_device_other_than_the_cpu_comes_first(dtype, monkeypatch):
    array = np.arange(6).astype(dtype) / 7
    elsewhere, name = on_gpu(array, monkeypatch)
    assert ours(array, device="cuda:0", class_name=name) == repr(elsewhere)
    assert "device='cuda:0'" in repr(elsewhere)


def test_parameters_and_subclasses():
    array = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
    parameter = torch.nn.Parameter(torch.from_numpy(array))
    assert printing.format_parameter(ours(array, requires_grad=True)) == repr(parameter)


def test_views_print_like_copies():
    array = np.arange(24.0).reshape(4, 6)
    for view in (array.T, array[::2, 1::2], array[:, ::-1], np.broadcast_to(array[0], (3, 6))):
        assert_same(view)


@pytest.mark.alone
def test_a_thousand_elements_print_no_slower_than_in_torch():
    array = np.random.default_rng(0).normal(size=1000).astype("float32")
    tensor = torch.from_numpy(array)

    def fastest(show):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            show()
            times.append(time.perf_counter() - start)
        return min(times)

    assert fastest(lambda: ours(array)) < fastest(lambda: repr(tensor))


def test_printing_imports_the_standard_library_alone():
    tree = ast.parse(inspect.getsource(printing))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names | {"collections.abc"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
