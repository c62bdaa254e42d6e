"""The engine's behaviour, statement by statement: the same programs on torch and on minigrad print the same.

Each file in twin_programs/ is a theme; its statements run one by one on both engines, errors and warnings included.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from twin import same

PROGRAMS = sorted((Path(__file__).parent / "twin_programs").glob("*.txt"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_both_engines_print_the_same(program: Path) -> None:
    same(program.read_text(encoding="utf-8"))
