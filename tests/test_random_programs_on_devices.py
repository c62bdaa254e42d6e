"""Random programs do the same with all their tensors on a device as on the host.

The stand-in shows that no mixture of operations, views, writes and walks gets at NumPy behind backend.py's back. The last
digits may differ: on a device sums are added up otherwise. `--programs` and `--seed` look further, as in test_random_programs.py.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from op_twin import CLOSE
from program_tables import PREAMBLE
from programs import FACTS, MANY, ROUGHER, asked, let_once_said_be_said, statement
from test_programs_on_devices import alike, plain
from test_random_programs import statements
from twin import first_sentence

import minigrad as mg

pytest_plugins = ["device_tools"]  # the fixture `gpu`

# What says or chooses where a tensor is, or wants it on the host.
OF_A_PLACE = re.compile(r"numpy|cpu|\.type\(|np\.")
HOST, THERE = None, "cuda"


@pytest.fixture(autouse=True)
def default_device() -> Iterator[None]:
    """No default device is left behind."""
    yield
    mg.set_default_device(None)


class Places:
    """The variables of one program, on the host and on the device."""

    def __init__(self) -> None:
        let_once_said_be_said()
        self.spaces: dict[str | None, dict[str, Any]] = {HOST: {"T": mg}, THERE: {"T": mg}}
        for place in self.spaces:
            self.said(place, PREAMBLE)

    def said(self, place: str | None, line: str) -> str:
        """What a statement prints, warns and raises in one place, without what tells the place."""
        out = io.StringIO()
        mg.set_default_device(place)
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(line, self.spaces[place])
            except Exception as error:
                print(f"{type(error).__name__}: {first_sentence(str(error))}")
            for warning in caught:
                if "encountered in" not in str(warning.message):  # NumPy's own
                    print(f"{warning.category.__name__}: {first_sentence(str(warning.message))}")
        text = plain(re.sub(r"0x[0-9a-f]+", "0x…", out.getvalue()))
        return re.sub("CPUBoolType|torch.BoolTensor", "Bool", text)  # torch has a word of its own for those on the host

    def tensors(self, place: str | None = HOST) -> dict[str, Any]:
        return {name: value for name, value in self.spaces[place].items() if isinstance(value, mg.Tensor)}

    def fault(self, line: str) -> str | None:
        """Run a statement in both places: in what they differ afterwards, or None."""
        here, there = (self.said(place, line) for place in self.spaces)
        if not alike(here, there, rough=True):
            return f"host: {here}\ndevice: {there}"
        found, others = self.tensors(), self.tensors(THERE)
        rough = max(
            (str(t.dtype)[6:] for t in found.values() if t.is_floating_point()), key=ROUGHER.index, default="float64"
        )
        rtol, atol = CLOSE[rough]
        for name, mine in found.items():
            other = others[name]
            facts = [[str(asked(attrgetter(fact), t)) for fact in FACTS] for t in (mine, other)]
            if facts[0] != facts[1]:
                return f"{name}, {FACTS}: host {facts[0]}, device {facts[1]}"
            if re.search(rf"\b{name}\b", line) and other.device.type != THERE:
                return f"{name} is on {other.device}"
            a, b = mine.detach().numpy(), other.detach().cpu().numpy()
            if not np.allclose(a, b, 50 * rtol, 50 * atol, equal_nan=True):
                return f"{name}: host {a.tolist()}, device {b.tolist()}"
        return None


@pytest.mark.slow
@pytest.mark.timeout(7200)  # a long run is as long as it is asked for
def test_random_programs_do_there_what_they_do_here(request: pytest.FixtureRequest, gpu: str) -> None:
    count, number = request.config.getoption("--programs") // 4, request.config.getoption("--seed")

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
    )
    @given(statements)
    def search(choices: list[bytes]) -> None:
        places, lines = Places(), []
        for place, choice in enumerate(choices):
            line = statement(choice, places.tensors(), f"x{place}")
            if OF_A_PLACE.search(line):
                continue
            lines.append(line)
            fault = places.fault(line)
            assert fault is None, "\n".join([PREAMBLE, *lines, "", fault])
            if any(tensor.numel() > MANY for tensor in places.tensors().values()):
                return

    search()
