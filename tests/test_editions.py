"""The learner's edition of the engine: bodies gone, everything else as it was."""

from __future__ import annotations

import ast
import importlib.util
import marshal
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder import editions, lessons, solutions
from autograder.errors import UnknownName
from autograder.lessons import PROJECT

PARTS = (
    "minigrad.ops.pointwise.mul_vjp_self",
    "minigrad.ops.pointwise.exp_vjp",
    "minigrad.autograd.grad_mode.no_grad",
)


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    return editions.learners_edition(PARTS, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("part", PARTS)
def test_bodies_are_gone_signatures_and_docstrings_stay(edition, part):
    mine, engine = (solutions.find(part, root).node for root in (edition, PROJECT))
    methods = [n for n in ast.walk(mine) if isinstance(n, ast.FunctionDef)]
    assert methods
    for method in methods:
        raised = method.body[-1]
        assert isinstance(raised, ast.Raise) and "NotImplementedError" in ast.unparse(raised)
        assert len(method.body) <= 2
    assert ast.get_docstring(mine) == ast.get_docstring(engine)
    if isinstance(engine, ast.FunctionDef):
        assert ast.unparse(mine.args) == ast.unparse(engine.args)


def test_nothing_else_differs(edition):
    changed = set()
    for path in (PROJECT / "minigrad").rglob("*.py"):
        relative = path.relative_to(PROJECT)
        if (edition / relative).read_bytes() != path.read_bytes():
            changed.add(str(relative))
    assert changed == {"minigrad/ops/pointwise.py", "minigrad/autograd/grad_mode.py"}


def test_its_bytecode_is_of_its_own_source_and_holds_no_body(edition):
    compiled = list(edition.rglob("*.pyc"))
    assert len(compiled) == len(list(edition.rglob("*.py")))
    for path in compiled:
        source = Path(importlib.util.source_from_cache(str(path)))
        code = compile(source.read_bytes(), "", "exec", dont_inherit=True)
        assert marshal.loads(path.read_bytes()[16:]) == code, source


def test_it_imports_and_the_part_is_not_written(edition):
    code = (
        "import minigrad as m; x = m.ones(2, requires_grad=True); y = (x * x).sum()\n"
        "try: y.backward()\nexcept NotImplementedError as e: print('not written:', e)"
    )
    environment = {**os.environ, "PYTHONPATH": str(edition), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert done.stdout.startswith("not written: minigrad.ops.pointwise.mul_vjp_self")


@pytest.mark.slow
def test_all_of_the_engine_loads_though_no_part_of_any_lesson_is_written(tmp_path):
    """So nothing that learners write may run at import: no `@no_grad()`, say."""
    parts = [part for name in lessons.names() for part in lessons.load(name).parts]
    assert len(parts) > 60
    code = (
        "import importlib, pkgutil, minigrad\n"
        "names = [each.name for each in pkgutil.walk_packages(minigrad.__path__, 'minigrad.')]\n"
        "loaded = [importlib.import_module(name) for name in names if not name.endswith('__main__')]\n"
        "print(len(loaded), minigrad.__file__)"
    )
    edition = editions.learners_edition(parts, cache=tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(edition), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    count, file = done.stdout.split()
    assert int(count) > 100 and file.startswith(str(edition))


def test_built_once_for_the_same_content(edition, tmp_path):
    cache = edition.parent.parent
    assert editions.learners_edition(reversed(PARTS), cache=cache) == edition
    assert editions.learners_edition(PARTS[:1], cache=cache) != edition


@pytest.mark.slow
@pytest.mark.parametrize("links", [True, False])
def test_what_no_part_is_in_is_the_same_file_in_all_editions(tmp_path, monkeypatch, links):
    if not links:  # as on a disk without them
        monkeypatch.setattr(Path, "hardlink_to", lambda self, target: os.link(target, self / "nowhere"))
    one, other = (editions.learners_edition([part], cache=tmp_path) for part in PARTS[:2])
    for path in one.rglob("*"):
        if path.is_file() and "pointwise" not in path.name:
            twin = other / path.relative_to(one)
            assert path.samefile(twin) == links and path.read_bytes() == twin.read_bytes()
    test_its_bytecode_is_of_its_own_source_and_holds_no_body(one)


def test_bytecode_that_somebody_has_cleaned_away_is_compiled_again(tmp_path):
    for path in editions.learners_edition((), cache=tmp_path).rglob("*.pyc"):
        path.unlink()
    test_its_bytecode_is_of_its_own_source_and_holds_no_body(editions.learners_edition(PARTS[:1], cache=tmp_path))


def test_what_was_not_used_for_a_month_is_removed_when_another_is_built(tmp_path):
    kept, unused, whole = (editions.learners_edition(parts, cache=tmp_path) for parts in (PARTS[:1], PARTS[1:2], ()))
    (left := unused.with_name(".new-of-a-builder-that-was-killed")).mkdir()
    for folder in (kept, unused, left, whole):
        os.utime(folder, (0, time.time() - editions.UNUSED - 60))
    assert editions.learners_edition(PARTS[:1], cache=tmp_path) == kept  # asked for: used
    built = editions.learners_edition(PARTS[2:], cache=tmp_path)
    assert {path.name for path in kept.parent.iterdir()} == {kept.name, built.name, whole.name}  # whole: built again
    assert (kept / "minigrad" / "tensor.py").read_bytes() == (PROJECT / "minigrad" / "tensor.py").read_bytes()


def test_readable_by_others_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        edition = editions.learners_edition(PARTS[:1], cache=tmp_path)
    finally:
        os.umask(before)
    modes = {p.stat().st_mode & 0o777 for p in (edition, *edition.rglob("*"))}
    assert modes == {0o755, 0o644}


def test_unknown_part(tmp_path):
    with pytest.raises(UnknownName, match="exp_vjp"):
        editions.learners_edition(["minigrad.ops.pointwise.exp_vpj"], cache=tmp_path)


def test_comments_go_with_the_body():
    text = 'def f(x):\n    """Doc."""\n    # the trick\n    return x  # is this\n    # and that\n\n\ny = 1\n'
    assert editions.without_bodies(text, {"m.f": ("f",)}) == (
        'def f(x):\n    """Doc."""\n'
        '    raise NotImplementedError("m.f is yours to write · 这一部分由你来写")\n\n\ny = 1\n'
    )
