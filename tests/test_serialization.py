"""save and load: what is written comes back, and a stranger's file can run nothing."""

from __future__ import annotations

import io
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

import minigrad


def written(thing: Any) -> io.BytesIO:
    """A file in memory, ready to be read."""
    file = io.BytesIO()
    minigrad.save(thing, file)
    file.seek(0)
    return file


def naming(module: str, name: str, argument: str) -> io.BytesIO:
    """A pickle, written by hand, that calls `module.name(argument)`."""
    text = [b"\x8c" + bytes([len(word.encode())]) + word.encode() for word in (module, name, argument)]
    return io.BytesIO(b"\x80\x04" + text[0] + text[1] + b"\x93" + text[2] + b"\x85R.")


def test_a_training_run_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    model = minigrad.nn.Sequential(minigrad.nn.Linear(3, 4), minigrad.nn.BatchNorm1d(4), minigrad.nn.Linear(4, 1))
    optimizer = minigrad.optim.Adam(model.parameters())
    x = minigrad.randn(5, 3)
    for _ in range(2):
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()
    kinds = {
        str(d): minigrad.ones(2).to(d) for d in (minigrad.float16, minigrad.float64, minigrad.int64, minigrad.bool)
    }
    minigrad.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "kinds": kinds}, tmp_path / "run.pt"
    )
    found = minigrad.load(tmp_path / "run.pt")
    twin = minigrad.nn.Sequential(minigrad.nn.Linear(3, 4), minigrad.nn.BatchNorm1d(4), minigrad.nn.Linear(4, 1))
    twin.load_state_dict(found["model"])
    again = minigrad.optim.Adam(twin.parameters())
    again.load_state_dict(found["optimizer"])
    for net, steps in ((model, optimizer), (twin, again)):
        steps.zero_grad()
        net(x).square().sum().backward()
        steps.step()
    assert all(a.equal(b) for a, b in zip(model.parameters(), twin.parameters(), strict=True))
    assert {name: str(tensor.dtype) for name, tensor in found["kinds"].items()} == {name: name for name in kinds}


HOSTILE = {
    "a builtin": ("builtins", "eval"), "a module of its own": ("os", "system"), "another function of ours": ("minigrad", "load"),
    "by way of a module let in": ("minigrad.dtypes", "numpy.f2py.os.system"), "by way of NumPy": ("numpy", "f2py.os.system"),
    "by way of a class": ("minigrad.tensor", "Tensor.__init__.__globals__"), "by its codec": ("_codecs", "encode"),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_strangers_file_runs_nothing(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        minigrad.load(naming(*HOSTILE[what], "echo ran > ran"))
    assert not list(tmp_path.iterdir())


class Rude:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return subprocess.check_output, (["echo", "ran"],)


def test_only_who_trusts_a_file_loads_all_of_it() -> None:
    with pytest.raises(pickle.UnpicklingError, match="subprocess.check_output was not an allowed global"):
        minigrad.load(written([Rude()]))
    assert minigrad.load(written([Rude()]), weights_only=False) == [b"ran\n"]


def test_what_cannot_be_written_leaves_no_half_file(tmp_path: Path) -> None:
    with pytest.raises((AttributeError, pickle.PicklingError)):
        minigrad.save({"weights": minigrad.ones(2), "not this": lambda: None}, tmp_path / "run.pt")
    assert not list(tmp_path.iterdir())
