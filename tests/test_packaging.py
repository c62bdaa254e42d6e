"""Packages and commands are the same wherever they stand: pyproject, constraints, conda, docs, make, CI."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from project_files import ROOT, imports, python_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {extra: list(map(Requirement, texts)) for extra, texts in PROJECT["optional-dependencies"].items()}
EVERYTHING = RUNTIME + [requirement for extra in EXTRAS.values() for requirement in extra]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = dict(line.split("==") for line in CONSTRAINTS if not line.startswith("#"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

# Where a package is imported by another name than it is installed by.
IMPORTED_AS = {"pyyaml": "yaml", "scikit-learn": "sklearn", "cupy-cuda12x": "cupy", "cupy-cuda13x": "cupy"}
# What a declared package always brings along, and we may import as well.
PART_OF = {
    "cupyx": "cupy",
    "dask": "distributed",
    "matplotlib_inline": "ipykernel",
    "IPython": "ipykernel",
    "jupyter_client": "jupyterlab",
    "jupyter_core": "jupyterlab",
    "jupyter_server": "jupyterlab",
    "threadpoolctl": "sklearn",
    "markupsafe": "jinja2",
}
# Needed though no file of ours imports them: programs that are started, plugins, and what is only in extras.
STARTED = {
    "ipykernel", "jupyterlab", "mypy", "pytest-timeout", "pytest-xdist", "ruff", "setuptools", "autograd",
    "mygrad", "distributed", "expecttest", "playwright", "psycopg", "hypothesis", "babel",
    "matplotlib", "scikit-learn", "sqlalchemy",
}  # fmt: skip


def test_constraints_are_exact_portable_and_in_order():
    for name, version in PINS.items():
        assert name == canonicalize_name(name)
        assert re.fullmatch(r"[0-9][0-9a-z.]*", version), f"{name}: no local tag, path or range"
    assert list(PINS) == sorted(PINS)
    assert "torch==2.13.0" in CONSTRAINTS


@pytest.mark.parametrize("requirement", EVERYTHING, ids=str)
def test_every_declared_range_admits_its_pin(requirement):
    assert requirement.specifier, "a range is wanted"
    assert requirement.specifier.contains(PINS[canonicalize_name(requirement.name)])


def closure(requirements):
    """The names of all installed packages that `requirements` bring in, on this machine."""
    found, waiting = set(), list(requirements)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in found and name != "torch":  # the libraries of torch's CUDA build are its own affair
            wanted = [{"extra": extra} for extra in requirement.extras or {""}]
            needed = map(Requirement, distribution(name).requires or [])
            waiting += [one for one in needed if not one.marker or any(map(one.marker.evaluate, wanted))]
        found.add(name)
    return found


def test_everything_that_comes_along_is_pinned_and_installed_as_pinned():
    names = closure(RUNTIME + EXTRAS["dev"])
    assert names >= {"tornado", "jupyter-server", "sqlalchemy"}
    assert names <= set(PINS)
    installed = {name: distribution(name).version.partition("+")[0] for name in names}
    assert installed == {name: PINS[name] for name in names}


@pytest.mark.parametrize("python", ["3.11.2", "3.12.0", "3.13.0"])  # 3.11.2 is Debian 12's
def test_the_pins_suit_every_python_we_name(python):
    for name in closure(RUNTIME + EXTRAS["dev"]):
        admitted = SpecifierSet(distribution(name).metadata.get("Requires-Python") or "")
        assert admitted.contains(python), f"{name} wants Python {admitted}"


def test_conda_gets_the_same_packages():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == PROJECT["name"]
    *conda, last = environment["dependencies"]
    packages = [line for line in last["pip"] if not line.startswith("--")]
    wanted = {canonicalize_name(requirement.name) for requirement in RUNTIME + EXTRAS["dev"]}
    assert set(packages) == {f"{name}=={PINS[name]}" for name in wanted}
    assert "torch==2.13.0" in packages
    assert {"--constraint constraints.txt", "--editable ."} < set(last["pip"])
    assert {"graphviz", f"pip {PINS['pip']}"} < set(conda)
    assert any(line.startswith(f"python {PROJECT['requires-python']}") for line in conda)


def test_every_dependency_has_its_reason_in_both_languages():
    rows = re.findall(r"(?m)^\| `([\w-]+)` (.*)\|$", (ROOT / "docs/dependencies.md").read_text(encoding="utf-8"))
    named = [name for name, _ in rows]
    assert sorted(named) == sorted(
        {canonicalize_name(r.name) for r in EVERYTHING} | {"graphviz", "bubblewrap", "chromium"}
    )
    for name, row in rows:
        *_, chinese, english = (cell.strip() for cell in row.split("|"))
        assert re.search("[\u4e00-\u9fff]", chinese) and re.match("[a-zA-Z`]", english), name


@pytest.mark.slow
def test_what_is_imported_is_declared_and_the_other_way_round():
    folders = ("minigrad", "autograder", "tools", "tests", "course", "benchmarks", "source_notebooks")
    tops = {one.module.partition(".")[0] for path in python_files(*folders) for one in imports(path)}
    here = [*python_files("tests", "tools"), *(ROOT / "tests").iterdir()]
    used = (
        tops
        - sys.stdlib_module_names
        - {"minigrad", "autograder", "tools", "benchmarks", *(path.stem for path in here)}
    )
    used = {PART_OF.get(top, top) for top in used}
    names = {canonicalize_name(r.name): IMPORTED_AS.get(r.name, r.name.replace("-", "_")) for r in EVERYTHING}
    assert used <= set(names.values()), "imported, not declared"
    assert {name for name, module in names.items() if module not in used} <= STARTED, "declared, not used"


# ── make and CI ──────────────────────────────────────────────────────────────────────────────────


def make(*words):
    return subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=20).stdout


def targets():
    return re.findall(r"(?m)^  make (\w+) ", make())


def test_plain_make_lists_the_commands_in_both_languages():
    assert {"demo", "test", "lab", "lint", "format", "types", "generated", "clean", "help"} <= set(targets())
    for line in make("help").splitlines():
        chinese, _, english = line.partition("·")
        assert re.search("[\u4e00-\u9fff]", chinese) and re.search("[a-z]", english), line


def test_every_command_that_is_listed_exists():
    for target in targets():
        assert make("--dry-run", target)
    assert set(targets()) <= set(re.findall(r"(?m)^\.PHONY: (.*)$", MAKEFILE)[-1].split())


def test_every_command_that_is_named_anywhere_exists():
    texts = [
        ROOT / ".ci/run",
        *ROOT.glob("README*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "tools").glob("*.py"),
    ]
    for path in texts:
        named = set(re.findall(r"(?m)[`：:] ?make (\w+)|^make (\w+)", path.read_text(encoding="utf-8")))
        assert {"".join(pair) for pair in named} <= set(targets()), path.name


def test_ci_runs_the_developers_own_commands():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert os.access(ROOT / ".ci/run", os.X_OK)
    for step in ("lint", "types", "generated", "test"):
        assert re.search(rf"\b{step}\b", script)


# ── the package itself ───────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_the_wheel_holds_the_words_and_pages_beside_the_code(tmp_path):
    copy = tmp_path / "a copy"
    copy.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("minigrad", "autograder"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignore)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, copy)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        tmp_path,
    ]
    subprocess.run([*command, copy], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    ours = [path for folder in ("minigrad", "autograder") for path in (copy / folder).rglob("*") if path.is_file()]
    assert {str(path.relative_to(copy)) for path in ours} <= inside
    assert {name.partition("/")[0] for name in inside if ".dist-info" not in name} == {
        "minigrad",
        "autograder",
    }


def test_the_command_is_installed():
    try:
        scripts = {entry.name: entry.value for entry in distribution(PROJECT["name"]).entry_points}
    except PackageNotFoundError:
        pytest.fail("the project is not installed in its own environment: run make")
    assert scripts == PROJECT["scripts"]


def test_the_engine_alone_needs_nothing_but_numpy(tmp_path):
    """Its folder beside a program, in a Python that has NumPy and no other package."""
    packages = Path(np.__file__).parent.parent
    for each in (ROOT / "minigrad", packages / "numpy", packages / "numpy.libs"):
        if each.exists():
            (tmp_path / each.name).symlink_to(each)
    ten_lines = re.findall(
        r"^(?:>>>|\.\.\.) (.*)", (ROOT / "README.md").read_text().partition("loss.backward()")[0], re.M
    )
    program = "import sys\nsys.path.insert(0, '.')\n" + "\n".join([*ten_lines, "loss.backward()", "print(w.grad)"])
    found = subprocess.run([sys.executable, "-I", "-S", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout == "tensor(-40.)\n" and not found.stderr


def test_the_engine_says_its_version() -> None:
    import minigrad

    assert minigrad.__version__ == PROJECT["version"]
