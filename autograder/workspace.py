"""What a learner takes along: parts that passed, one readable file each, and their use in later lessons.

    my_lessons/
        03_local_derivatives/03_local_derivatives.ipynb
        my_parts/minigrad.ops.pointwise.mul_vjp_self.py      written when its checks have passed

`use_parts("mine")` plugs what is there into the engine, `use_parts("reference")` takes it out again. Where the folder
is: own_folder.py. Grading knows nothing of it: a lesson is graded with the engine's own earlier parts. How a notebook's
function becomes a file: own_source.py.
"""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder import checks, own_source, parts
from autograder.by_name import functions
from autograder.checks import Check
from autograder.errors import AutograderError
from autograder.files import put
from autograder.messages import Text, text
from autograder.own_folder import FOLDER, folder
from autograder.show import View, show
from autograder.signatures import check_signature

STARTED = "first_checks.json"
TIME = "%Y-%m-%d %H:%M:%S UTC"
CHOICES = ("mine", "reference")
_INSTRUCTORS = "BEGIN SOLUTION"  # in the instructor's notebook the solution is not somebody's own work

_passed: dict[str, tuple[Any, set[str]]] = {}  # part -> (the function that replaces it, the checks it passed)
_carried: dict[str, Any] = {}  # part -> what use_parts("mine") plugged


def note_first_check(lesson: str) -> None:
    """Keep the time at which a check of this lesson first ran, for the receipt. Where nothing can be kept, nothing is."""
    path = folder() / STARTED
    with contextlib.suppress(OSError):
        if lesson not in (began := _began(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, json.dumps(began | {lesson: datetime.now(UTC).strftime(TIME)}, indent=1).encode())


def first_check(lesson: str, beside: Path | None = None) -> str:
    """When that was, in UTC; "" if it is not known."""
    return _began(folder(beside) / STARTED).get(lesson, "")


def _began(path: Path) -> dict[str, str]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(when) for key, when in said.items()} if isinstance(said, dict) else {}


# ── Keeping what passed ──────────────────────────────────────────────────────────────────────────


def deciding(part: str) -> set[str]:
    """The checks that a part has to pass to be kept: of those that use it, the ones that use the fewest parts. None of a
    function that no lesson asks for."""
    using = [each for each in checks.for_lesson(every_part().get(part, "")) if part in each.parts]
    fewest = min([len(each.parts) for each in using], default=0)
    return {each.name for each in using if len(each.parts) == fewest}


def keep(check: Check) -> list[Path]:
    """After `check` has passed: save those of its parts that now have passed all that decides. The new files."""
    written = {part: parts.plugged()[part] for part in check.parts}
    fresh = []
    for part, function in written.items():
        stands, passed = _passed.get(part, (None, set()))
        passed = passed | {check.name} if stands is function else {check.name}
        _passed[part] = function, passed
        if function is not _carried.get(part) and deciding(part) <= passed and (path := _save(part, function, check)):
            fresh.append(path)
    return fresh


def _save(part: str, function: Any, check: Check) -> Path | None:
    """Write one part, whole or not at all; None if there is nothing new to write."""
    source = own_source.whole(function)
    path = folder() / f"{part}.py"
    if _INSTRUCTORS in source or (path.is_file() and _without_head(path) == source.strip()):
        return None
    head = text("part_file", part=part, lesson=check.lesson, when=f"{datetime.now():%Y-%m-%d %H:%M}")
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, f'"""{head.zh}\n\n{head.en}\n"""\n\n{source.strip()}\n'.encode())
    return path


def _without_head(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition('"""\n\n')[2].strip()


# ── Using it ─────────────────────────────────────────────────────────────────────────────────────


def saved() -> dict[str, Path]:
    """part -> its file, of the parts that some lesson has, in the lessons' order."""
    there = {path.stem: path for path in folder().glob("*.py")} if folder().is_dir() else {}
    return {part: there[part] for part in every_part() if part in there}


def every_part() -> dict[str, str]:
    """part -> the lesson in which it is written, in the lessons' order."""
    found: dict[str, str] = {}
    for each in sorted(checks.REGISTRY.values(), key=lambda check: check.lesson):
        for part in each.parts:
            found.setdefault(part, each.lesson)
    return found


def load(path: Path) -> Callable[..., Any]:
    """The function or class that a saved file defines last. AutograderError, naming the file, if it does not run."""
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        name = [each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)][-1]
        linecache.cache[str(path)] = (len(source), None, source.splitlines(keepends=True), str(path))
        namespace: dict[str, Any] = {"__name__": f"{FOLDER}.{path.stem}"}
        exec(compile(tree, str(path), "exec"), namespace)
        return namespace[name]
    except Exception as error:  # whatever a learner's file may raise
        found = f"{type(error).__name__}: {error}"
        raise AutograderError(text("part_file_broken", error=found), str(path), text("part_file_remedy")) from error


def use_parts(choice: str = "mine") -> None:
    """Let the engine run on the learner's earlier parts ("mine"), or on its own ("reference"); show which."""
    if choice not in CHOICES:
        raise AutograderError(text("parts_choice", given=choice), remedy=text("parts_choices"))
    _take_out()
    broken = _put_in() if choice == "mine" else []
    count = text("parts_in_use", mine=len(_carried), total=len(every_part()))
    notes = [count] if choice == "mine" else [text("parts_reference")]
    if choice == "mine" and not _carried and not broken:
        notes = [text("parts_written_here") if saved() else text("parts_none", folder=folder())]
    show(View("use_parts", "fail" if broken else "pass" if _carried else "skip", notes=[*notes, *broken]))


def _take_out() -> None:
    for part, function in _carried.items():
        if parts.plugged().get(part) is function:
            parts.unplug(part)
    _carried.clear()


def _put_in() -> list[Text]:
    """Plug all saved parts that are not already written in this notebook; what is wrong with the others."""
    loaded, broken = {}, []
    for part, path in saved().items():
        try:
            if part not in parts.plugged():
                loaded[part] = load(path)
                check_signature(part, parts.original(part), loaded[part])
        except AutograderError as error:
            loaded.pop(part, None)
            broken.append(Text(str(error), str(error)))
    parts.plug_all(loaded)
    _carried.update(loaded)
    _introduce(loaded)
    return broken


def _introduce(loaded: dict[str, Any]) -> None:
    """A part that calls another by its name came with a copy of it: from now on it calls the part itself, so that the
    learner's latest is used, and counted."""
    for function in (each for written in loaded.values() for each in functions(written)):
        around = function.__globals__
        for part in loaded:
            home, _, short = part.rpartition(".")
            copy = around.get(short)
            if home in sys.modules and copy is not function and getattr(copy, "__module__", "") == around["__name__"]:
                around[short] = getattr(sys.modules[home], short)


def carried() -> dict[str, Any]:
    """The earlier parts that the engine runs on now: part -> the learner's function."""
    return {part: function for part, function in _carried.items() if parts.plugged().get(part) is function}
