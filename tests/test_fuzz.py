"""The fuzzer of tests/fuzz.py finds nothing in a fixed number of runs; and it would find something."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz.py"
RUNS = 20_000

pytest.importorskip("atheris", reason="atheris comes for x86-64 only, up to Python 3.13")


def fuzz(program, target, tmp_path, runs=RUNS):
    (tmp_path / "corpus").mkdir()
    # A process counts as its peak memory what the one that started it had (getrusage), and libFuzzer has a limit: with a
    # shell between them it is the shell's little, not what the tests before this one took.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, program, target, f"-runs={runs}", "-seed=1"]
    environment = {**os.environ, "FUZZ_CORPUS": str(tmp_path / "corpus")}
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["protocol", "notebook", "transplant"])
def test_nothing_unexpected_comes_of_any_bytes(target, tmp_path):
    found = fuzz(FUZZ, target, tmp_path)
    assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
    assert f"Done {RUNS} runs" in found.stderr


@pytest.mark.slow
def test_an_error_that_was_not_meant_is_found(tmp_path):
    """The same program with the reader's own error let through: the fuzzer stops at it."""
    spoilt = tmp_path / "fuzz.py"
    text = FUZZ.read_text().replace("except AutograderError:", "except ZeroDivisionError:")
    spoilt.write_text(text.replace("str(Path(__file__).resolve().parent.parent)", repr(str(FUZZ.parent.parent))))
    found = fuzz(spoilt, "notebook", tmp_path)
    assert found.returncode != 0 and "AutograderError" in found.stdout + found.stderr
