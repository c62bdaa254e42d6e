"""The rules of the house: who may import whom, how large a file may grow, what every file says first."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from project_files import ROOT, Import, committed, imports, module_name, python_files

from autograder.records import NOT_GRADING

OURS = {"minigrad", "autograder"}
ENGINE = python_files("minigrad")
GRADER = python_files("autograder")
RUNNER = python_files("autograder/runner")
LESSONS = python_files("source_notebooks")
CODE = python_files("minigrad", "autograder", "tools", "tests", "benchmarks", "course")

# What an engine file may take from outside besides the standard library. One file meets the arrays; the
# program `python -m minigrad` trains on scikit-learn's digits.
ENGINE_MAY = {
    "minigrad.backend": {"numpy", "cupy", "cupyx"},
    "minigrad.demo": {"sklearn", "threadpoolctl", "rich"},
}
# What enters the sandbox may name of the grader; what these bring along is checked below.
RUNNER_MAY = ("autograder.runner", "autograder.protocol", "autograder.parts", "autograder.checks")
# Tables and tests are read entry by entry; code is read whole.
MOST_LINES = {"tests": 600, "mistakes": 600}
LESSONS_MAY = OURS | {"numpy", "torch", "matplotlib", "IPython"}


def top(name: str) -> str:
    """numpy.linalg -> numpy"""
    return name.partition(".")[0]


def foreign(path: Path) -> list[Import]:
    """The imports of a file that are neither the standard library's nor ours, type-only ones left out."""
    return [one for one in imports(path) if one.runs and top(one.module) not in sys.stdlib_module_names | OURS]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", ENGINE, ids=name)
def test_the_engine_meets_arrays_in_one_file_only(path):
    allowed = ENGINE_MAY.get(module_name(path), set())
    assert [one for one in foreign(path) if top(one.module) not in allowed] == []


@pytest.mark.parametrize("path", ENGINE, ids=name)
def test_the_engine_knows_nothing_of_grading(path):
    assert [one for one in imports(path) if top(one.module) == "autograder"] == []


@pytest.mark.parametrize("path", GRADER, ids=name)
def test_only_the_oracle_meets_torch_and_only_when_asked(path):
    met = [one for one in imports(path) if top(one.module) == "torch"]
    if module_name(path) != "autograder.oracle":
        assert met == []
    assert [one for one in met if one.runs and not one.lazy] == []


@pytest.mark.parametrize("path", RUNNER, ids=name)
def test_the_runner_takes_only_what_may_enter_the_sandbox(path):
    modules = set(map(module_name, GRADER))
    named = [one for one in imports(path) if one.module in modules and one.module != "autograder"]
    assert [one for one in named if not one.module.startswith(RUNNER_MAY)] == []
    assert {top(one.module) for one in foreign(path)} <= {"numpy"}


def closure(start: list[Path]) -> set[Path]:
    """The files of the grader that load when `start` do, lazy imports left out."""
    files = {module_name(path): path for path in GRADER}
    seen, waiting = set(), list(start)
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [files[one.module] for one in imports(path) if not one.lazy and one.module in files]
    return seen


def test_all_that_loads_in_the_sandbox_is_light():
    loaded = closure(RUNNER)
    assert len(loaded) > len(RUNNER)  # or the walk above finds nothing
    outside = {(name(path), top(one.module)) for path in loaded for one in foreign(path) if not one.lazy}
    assert {package for _, package in outside} <= {"numpy"}, outside


def test_all_that_results_depend_on_is_in_the_graders_version():
    """Else a result would stand although what it was made by has changed."""
    graded_by = [path for path in GRADER if path.stem in ("work", "referee", "oracle", "sandbox") or path in RUNNER]
    parts_of_it = {path.relative_to(ROOT / "autograder").parts[0].removesuffix(".py") for path in closure(graded_by)}
    assert {"editions", "solutions", "compare", "checks", "mistakes"} <= parts_of_it
    assert parts_of_it & NOT_GRADING == {
        "last_run",
        "own_folder",
        "waiting",
    }  # which autograder/__init__.py loads in a notebook only
    there = {path.stem for path in (ROOT / "autograder").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert there >= NOT_GRADING


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lessons_use_what_a_learner_knows(path):
    used = {top(one.module) for one in imports(path)} - sys.stdlib_module_names
    assert used <= LESSONS_MAY


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [("minigrad", "torch cupy autograder matplotlib sklearn"), ("autograder", "torch nbgrader jupytext")],
)
def test_importing_stays_light(module, unwanted):
    program = f"import sys, {module}; print(*(set(sys.modules) & set({unwanted.split()!r})))"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


@pytest.mark.parametrize("path", CODE, ids=name)
def test_every_file_says_what_it_is_for(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring and len(docstring) > 15


@pytest.mark.parametrize("path", CODE, ids=name)
def test_a_docstring_can_be_read_alone(path):
    """help(), a notebook's `?` and docs/api.md show one without the neighbour that "the same" would point at."""
    pointing = re.compile(
        r"The same(,| (as|at|by|for|from|in|of|on|where|with)\b)|The older form of it\b|And |Those of\b"
    )
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, defined)]
    assert [node.name for node in nodes if pointing.match(ast.get_docstring(node) or "")] == []


@pytest.mark.parametrize("path", CODE, ids=name)
def test_files_and_functions_fit_in_the_head(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MOST_LINES.get(path.parent.name, 400)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 60, f"{node.name} is too long"


# Written in pieces, so that this file does not hold what it looks for.
NOT_FOR_HERE = [
    "/" + "work/",
    "." + "library",
    "/opt/" + "wheels",
    "/opt/" + "pypi",
    "PIP_" + "FIND_LINKS",
    "find-" + "links",
]


def test_nothing_committed_names_the_machine_it_was_written_on():
    for path in committed():
        text = path.read_bytes().decode("utf-8", "replace")
        found = [word for word in NOT_FOR_HERE if word in text]
        assert found == [], f"{name(path)} names {found}"
