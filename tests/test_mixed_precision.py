"""Mixed precision that torch would have on this machine, or on one with a GPU: it is refused, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

REFUSED = "没有混合精度，请写 enabled=False · minigrad has no mixed precision; say enabled=False"


def enter(*arguments: Any) -> Callable[[], None]:
    """A block under autocast with these arguments, when it is called."""

    def run() -> None:
        with mg.autocast(*arguments):
            raise AssertionError("entered")

    return run


@pytest.mark.parametrize(
    "use",
    [enter("cpu"), enter("cpu", mg.float16), mg.autocast("cpu")(lambda: 3), lambda: mg.amp.GradScaler("cpu")],
    ids=["a block", "a block in half precision", "a decorated function", "a scaler"],
)
def test_what_would_cast_or_scale_is_refused(use: Callable[[], object]) -> None:
    with pytest.raises(NotImplementedError, match=REFUSED):
        use()


def test_with_a_gpu_its_own_is_refused_and_what_is_off_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mg.cuda, "is_available", lambda: True)
    for use in (enter("cuda"), enter("cuda:0", mg.float16), mg.amp.GradScaler):
        with pytest.raises(NotImplementedError, match=REFUSED):
            use()
    with mg.autocast("cuda", enabled=False):
        assert mg.amp.GradScaler(enabled=False).get_scale() == 1.0
    with pytest.warns(FutureWarning, match="deprecated"), pytest.raises(NotImplementedError):
        mg.cuda.amp.GradScaler()


def test_a_decorator_that_is_never_called_ends_no_program() -> None:
    assert mg.autocast("cpu")(len).__name__ == "len"


def test_numbers_of_dtypes_that_are_not_here_are_refused_truthfully() -> None:
    import numpy as np

    for kind in (np.uint16, np.uint32, np.uint64, np.complex64):
        with pytest.raises(TypeError, match=f"numpy.{kind.__name__}") as caught:
            mg.from_numpy(np.ones(2, kind))
        assert (
            kind.__name__
            not in str(caught.value).partition("The only supported types are: ")[2].replace(",", "").split()
        )


def test_what_is_compiled_without_saying_that_it_is_not_is_handed_back() -> None:
    net = mg.nn.Linear(2, 2)
    assert mg.compile(net) is net and mg.compile(net, mode="reduce-overhead", backend="inductor") is net

    @mg.compile
    def plain(x: int) -> int:
        return x

    @mg.compiler.disable
    def other(x: int) -> int:
        return x

    assert plain(3) == other(3) == mg.compiler.disable(recursive=False)(other)(3) == 3
