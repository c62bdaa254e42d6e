"""The twin programs print with all their tensors on a device what they print on the host, which is what torch prints there.

Every statement runs twice, with and without a default device. What tells the device may differ, with it where long lines
are broken, and on a GPU the last digits.
"""

from __future__ import annotations

import ast
import math
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import let_once_said_be_said
from twin import transcript

import minigrad as mg

pytest_plugins = ["device_tools"]  # the fixture `gpu`

PROGRAMS = sorted((Path(__file__).parent / "twin_programs").glob("*.txt"))
# Programs whose statements mean something else on a device, and why.
OTHERWISE = {
    "arrays": "memory is shared with NumPy's arrays",
    "as_strided": "the stand-in does not know whose memory a view by steps shows",
    "copies": "a copied view begins where its own memory does",
    "function_arguments": "numpy()",
    "function_outputs": "numpy()",
    "functional_edges": "numpy()",
    "grad_arguments": "numpy()",
    "leaks": "numpy()",
    "numbers_too_wide": "beside a float they are refused in CuPy's own words, or, on the stand-in, not at all",
    "other_shapes": "memory is shared with NumPy's arrays",
    "packed_sequences": "lengths have to be on the CPU",
    "recurrent": "names the CPU",
    "saved_hooks": "from_numpy()",
    "training": "from_numpy()",
}
# The same on a GPU alone, where other hands add and lay out.
ON_A_GPU = {
    "attention": "what need not be copied to be reshaped",
    "transformer": "what need not be copied to be reshaped",
    "half_beside_numbers": "the last digit of half precision",
    "infinite_parameters": "the order in memory",
    "memory_order": "the order in memory",
    "out": "places among bounds that are not in order",
}
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
PRINTED = "§"


def statements(program: str) -> list[str]:
    """Each statement of a program, on lines of its own."""
    return [ast.unparse(statement) for statement in ast.parse(textwrap.dedent(program)).body]


def printed(program: list[str]) -> list[str]:
    """What each statement prints, in one line, without what tells the device."""
    text = "\n".join(f"{statement}\nprint({PRINTED!r})" for statement in program)
    return [plain(part) for part in "\n".join(transcript(mg, text)).split(PRINTED)][: len(program)]


def plain(text: str) -> str:
    """Without line breaks, and as if on the host."""
    text = " ".join(text.split()).replace(", device='cuda:0'", "").replace(" (cuda:0)", "")
    return text.replace("cuda:0", "cpu").replace(".cuda.", ".").replace("CUDABool", "CPUBool")


def alike(one: str, other: str, rough: bool) -> bool:
    """Whether two texts agree; rough: up to the last digits of their numbers."""
    if one == other or not rough:
        return one == other
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-6) for a, b in pairs)


@pytest.fixture
def default_device() -> Iterator[None]:
    """No default device is left behind."""
    yield
    mg.set_default_device(None)


@pytest.mark.slow  # all together
@pytest.mark.parametrize(
    "program", [path for path in PROGRAMS if path.stem not in OTHERWISE], ids=lambda path: path.stem
)
def test_a_program_prints_there_what_it_prints_here(gpu: str, program: Path, default_device: None) -> None:
    if gpu == "gpu" and program.stem in ON_A_GPU:
        pytest.skip(ON_A_GPU[program.stem])
    let_once_said_be_said()
    parts = statements(program.read_text(encoding="utf-8"))
    here = printed(parts)
    mg.set_default_device("cuda")
    there = printed([part.replace("T.Generator()", "T.Generator('cuda')") for part in parts])
    differ = [each for each in zip(parts, here, there, strict=True) if not alike(*each[1:], gpu == "gpu")]
    assert not differ, "\n".join(f"{statement}\n- {a}\n+ {b}" for statement, a, b in differ)


def test_no_exception_is_for_a_program_that_is_not_there() -> None:
    assert OTHERWISE.keys() | ON_A_GPU.keys() <= {path.stem for path in PROGRAMS}
