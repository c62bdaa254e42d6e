"""Random programs on torch and on minigrad do the same: values, gradients, graphs, texts, warnings, errors.

`pytest tests/test_random_programs.py --programs 20000 --seed 1` looks further. What such runs have found, and what was
then mended, stands in data/found_programs.txt and is run every time.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from programs import replay, run

FOUND = (Path(__file__).parent / "data" / "found_programs.txt").read_text(encoding="utf-8").strip().split("\n\n")
MOST_STATEMENTS = 14

statements = st.lists(st.binary(min_size=5, max_size=5), min_size=3, max_size=MOST_STATEMENTS)


@pytest.mark.slow
@pytest.mark.timeout(7200)  # a long run is as long as it is asked for
def test_random_programs(request: pytest.FixtureRequest) -> None:
    count, number = request.config.getoption("--programs"), request.config.getoption("--seed")

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, derandomize=False, suppress_health_check=list(HealthCheck),
        print_blob=False,
    )  # fmt: skip
    @given(statements)
    def search(choices: list[bytes]) -> None:
        run(choices)

    search()


@pytest.mark.parametrize("program", FOUND, ids=lambda program: program.splitlines()[0].lstrip("# "))
def test_programs_that_once_differed(program: str) -> None:
    replay("\n".join(line for line in program.splitlines() if not line.startswith("#")))
