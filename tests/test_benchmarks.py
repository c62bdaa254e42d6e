"""The benchmark of the engine: that every engine computes the same, and that a wrong result never gets a time."""

import ast
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from project_files import ROOT

from benchmarks import cuda, engine, instructions, operations
from benchmarks.engines import ENGINES, TorchLike
from benchmarks.workloads import WORKLOADS


@pytest.mark.slow
def test_all_engines_agree_and_the_table_and_the_file_say_so(tmp_path, capsys):
    file = tmp_path / "figures.json"
    assert engine.main(["--quick", "--json", str(file)] + ["--only", ",".join(w.key for w in WORKLOADS)]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert set(rows) == {w.key for w in WORKLOADS}
    for workload in WORKLOADS:
        found = rows[workload.key]
        assert {"torch", "minigrad"} <= set(found)
        assert all(one["checked"] and 0 < one["best"] <= one["median"] for one in found.values())
    table = capsys.readouterr().out
    lines = [line for line in table.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(WORKLOADS) and len({line.count("|") for line in lines}) == 1
    assert re.search("[\u4e00-\u9fff]", lines[2]) and "mul and add" in lines[2]


def test_a_wrong_gradient_gets_no_time(capsys, monkeypatch):
    wrong = TorchLike("minigrad")
    wrong.tanh = lambda x: wrong.m.tanh(x) * 1.01
    monkeypatch.setitem(ENGINES, "minigrad", lambda: wrong)
    assert engine.main(["--quick", "--only", "hessian"]) == 1
    assert "hessian, minigrad: result 0 differs from torch's" in capsys.readouterr().out


@pytest.mark.slow
def test_single_operations_agree_and_a_wrong_one_gets_no_time(tmp_path, capsys, monkeypatch):
    file = tmp_path / "figures.json"
    assert operations.main(["--quick", "--json", str(file)]) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert set(figures) == {row for rows in operations.TABLE.values() for row in rows}
    assert "both" in figures["x + y"] and "both" not in figures["x > 0"]
    monkeypatch.setitem(operations.TABLE, "", ("x + (y if m.__name__ == 'torch' else z)", "x.detach() + 1"))
    assert operations.main(["--quick", "--only", "z),detach() +"]) == 1
    assert "z): result 0 differs from torch's" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("key", ["deep", "memory", "import"])
def test_rows_in_processes_of_their_own(key):
    found = engine.apart(key, {name: ENGINES[name]() for name in ("minigrad", "bare", "numpy")}, quick=True)
    assert all(one["best"] >= 0 for one in found.values())
    assert set(found) == {"minigrad", "bare" if key == "deep" else "numpy"}


def test_differences_are_told():
    ones = np.ones((2, 2), np.float32)
    assert engine.difference([ones], [ones]) == ""
    assert engine.difference([ones * 1.001], [ones]) == "result 0 differs from torch's by up to 0.001"
    assert engine.difference([ones[0]], [ones]) == "result 0 has shape (2,), torch's (2, 2)"
    assert engine.difference([ones * np.nan], [ones])


def test_without_a_gpu_it_says_so_in_words(capsys):
    if not cuda.missing():
        assert cuda.compare(quick=True, file=None) == 0
    else:
        assert engine.main(["--cuda"]) == 0
        assert re.search("GPU.* · no ", capsys.readouterr().out)


def test_lesson_14_shows_the_figures_that_were_recorded():
    figures = json.loads((ROOT / "benchmarks" / "cuda_h100.json").read_text(encoding="utf-8"))["sweep"]
    lesson = (ROOT / "source_notebooks" / "14_gpu" / "14_gpu.py").read_text(encoding="utf-8")
    recorded = next(
        ast.literal_eval(node.value)
        for node in ast.parse(lesson).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "RECORDED"
    )
    ways = {
        "host": "NumPy, one core",
        "gpu": "already there",
        "moving": "with transfers",
        "pinned": "from pinned memory",
    }
    large = figures["add"]["shape"].index([50_000, 10_000])
    assert recorded.pop("add, 50000×10000") == {word: figures["add"][way][large] for way, word in ways.items()}
    for (name, word), seconds in recorded.items():
        way = next(way for way, words in ways.items() if word in words)
        shapes = figures[name]["shape"][: len(seconds)]
        assert shapes == ([[10**k] for k in range(2, 8)] if name == "add" else [[2**k] * 2 for k in range(4, 13)])
        assert seconds == pytest.approx(figures[name][way][: len(seconds)])


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_stock_nbgrader_and_ours_give_the_same_rows():
    """The benchmark of grading on two submissions; it stops where the two gradebooks differ."""
    command = [sys.executable, "benchmarks/grading.py", "--stock", "2", "--sizes", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line[:1] == "|"]
    assert [row[:2] for row in rows[2:]] == [["2", "stock nbgrader"], ["2", "this one, one process"]]
    assert all(float(cell) > 0 for row in rows[2:] for cell in row[2:])
    assert "grade rows equal to stock nbgrader's: 2 submissions" in done.stdout


def test_without_valgrind_it_is_said_how_to_get_it(capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == "valgrind" else tool)
    assert instructions.main(["--only", "tiny"]) == 2
    told = capsys.readouterr().err
    assert "没有找到 valgrind" in told and "valgrind was not found; apt install valgrind" in told
    with pytest.raises(SystemExit):
        instructions.main(["--only", "tiny,nothing"])
    assert "there are no such rows: nothing" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not here, so no instructions were counted")
def test_instructions_are_counted():
    found = instructions.a_step("tiny")
    assert 10_000 < found[instructions.TOTAL] < 100_000_000
    assert sum(found.values()) == pytest.approx(2 * found[instructions.TOTAL], rel=0.01)  # the total, and its parts


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not here, so no instructions were counted")
def test_two_counts_are_nearly_the_same(tmp_path):
    """Of a program whose way hangs on addresses and on the seed of hashes, wherever these differ."""
    program = "d = {str(i): object() for i in range(10_000)}; print(sorted(map(id, d.values()))[:9], hash('a'))"
    command = [sys.executable, "-S", "-c", program]
    first, again = (instructions.counted(command, tmp_path / name)[instructions.TOTAL] for name in ("one", "other"))
    assert first > 1_000_000 and abs(again / first - 1) < 0.0001
