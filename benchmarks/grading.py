"""How fast a class is graded: stock nbgrader and this grader side by side, then larger classes.

    .venv/bin/python benchmarks/grading.py            60 through both; 60 and 1,000 through ours; check()
    .venv/bin/python benchmarks/grading.py --large    10,000 too
    .venv/bin/python benchmarks/grading.py --stock 12 --sizes 60   a quick look

Stock nbgrader runs every notebook in a kernel; its test cells hold the same checks, as an expression whose value is
the score, and its class has nobody who cheats (it would not notice). The rows of both gradebooks must be equal: the
benchmark stops if they are not. Seconds are wall-clock, in one run, on all cores of this machine; what counts is the
ratio. Nothing here is measured on another machine or taken from a file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
KINDS = "full_marks own_cells partial mistake_1 mistake_2 mistake_3 mistake_4 untouched syntax_error".split()
# The check cell as somebody who has nothing but nbgrader would write it: the same check, its score as the value.
STOCK_CELL = """\
import warnings; warnings.simplefilter("ignore")
import minigrad as engine
from autograder import checks, compare, oracle
this = checks.get({name!r})
compare.judge(this, oracle.expected(this.name, 4711), checks.attempt(this, engine, 4711)).score"""
STOCK_CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.root = {root!r}
c.ExecutePreprocessor.timeout = 60
c.Execute.timeout = 60
"""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """nbgrader and the kernels have much to say."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def our_course(folder: Path, name: str) -> tuple[Any, Any, bytes]:
    """A course with the lesson released: the course, the instructor's lesson, the released bytes."""
    from autograder import release
    from autograder.course import Course

    course = Course.scratch(folder)
    with quiet():
        lesson = release.release(course, name).lesson
    return course, lesson, (course.path("release", ".", name) / f"{name}.ipynb").read_bytes()


def stock_course(folder: Path, name: str) -> tuple[Any, bytes]:
    """The same lesson in a course with nbgrader's own configuration."""
    from autograder import lessons
    from autograder.course import Course

    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(STOCK_CONFIG.format(root=str(folder)))
    course, notebook = Course(folder), lessons.load(name).notebook
    notebook.cells = [cell for cell in notebook.cells if lessons.kind(cell) != "proof"]
    for cell in notebook.cells:
        if lessons.kind(cell) == "check":
            cell.source = STOCK_CELL.format(name=lessons.check_name(cell.source))
    source = course.path("source", ".", name)
    source.mkdir(parents=True)
    nbformat.write(notebook, source / f"{name}.ipynb")
    with quiet():
        course.nbgrader("generate_assignment", name)
    return course, (course.path("release", ".", name) / f"{name}.ipynb").read_bytes()


def hand_in(course: Any, lesson: Any, released: bytes, students: int) -> None:
    """A class of so many, who take turns in what they hand in."""
    from autograder import sample_class

    notebook = nbformat.reads(released.decode(), as_version=4)
    material = sample_class.Material(lesson, notebook, sample_class.answers_of(lesson))
    made = {each.name: each.make(material) for each in sample_class.submissions() if each.name in KINDS}
    for number in range(students):
        folder = course.path("submitted", f"student{number:05}", lesson.name)
        folder.mkdir(parents=True)
        (folder / f"{lesson.name}.ipynb").write_bytes(made[KINDS[number % len(KINDS)]])


def rows(course: Any, name: str, students: int) -> dict[str, dict[str, Any]]:
    """What the gradebook says of the first so many students: every grade row by cell."""
    from autograder.marks import marks

    found = marks(course, name)
    return {student: found[student].cells for student in sorted(found)[:students]}


def stock(folder: Path, name: str, lesson: Any, students: int) -> tuple[float, dict[str, Any]]:
    """Seconds and rows of stock nbgrader."""
    course, released = stock_course(folder, name)
    hand_in(course, lesson, released, students)
    start = time.perf_counter()
    with quiet():
        for student in course.students(name):
            course.nbgrader("autograde", name, student)
    return time.perf_counter() - start, rows(course, name, students)


def ours(folder: Path, name: str, students: int, workers: int | None) -> tuple[float, dict[str, Any]]:
    """Seconds, start of workers included, and rows of this grader."""
    from autograder.grade import grade

    course, lesson, released = our_course(folder, name)
    hand_in(course, lesson, released, students)
    start = time.perf_counter()
    results = grade(name, course=course, workers=workers)
    seconds = time.perf_counter() - start
    assert all(result.status == "graded" and result.fresh for result in results)
    found = rows(course, name, students)
    course.ledger.close()
    return seconds, found


def answer_time(name: str) -> float:
    """Seconds from check() to its answer, warm: the median over the lesson's checks, on the engine's own parts."""
    from autograder import checks, notebook, parts

    seconds = []
    for each in checks.for_lesson(name):
        with parts.plugged_in({part: parts.original(part) for part in each.parts}), quiet():
            notebook.check(each.name, 1)
            start = time.perf_counter()
            notebook.check(each.name, 1)
            seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 2]


def line(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    given.add_argument("--lesson", default="00_warmup")
    given.add_argument("--stock", type=int, default=60, help="submissions through stock nbgrader")
    given.add_argument("--sizes", type=int, nargs="*", default=[60, 1000])
    given.add_argument("--large", action="store_true", help="10,000 as well")
    chosen = given.parse_args()
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from autograder import cluster, oracle

    oracle.T.ones(1)
    print(f"{platform.machine()}, {cluster.cores()} cores, load {os.getloadavg()[0]:.1f}, lesson {chosen.lesson}\n")
    line("submissions", "grader", "seconds", "ms a submission", "× stock", "peak memory of the grader, MiB")
    line("--:", "---", "--:", "--:", "--:", "--:")
    folder = Path(tempfile.mkdtemp(prefix="grading-"))
    try:
        _, lesson, _ = our_course(folder / "lesson", chosen.lesson)
        slow, wanted = 0.0, {}
        if chosen.stock:
            seconds, wanted = stock(folder / "stock", chosen.lesson, lesson, chosen.stock)
            slow = seconds / chosen.stock
            line(chosen.stock, "stock nbgrader", f"{seconds:.1f}", f"{slow * 1000:.0f}", "1", "")
        for size in [*chosen.sizes, *([10_000] if chosen.large else [])]:
            for workers, words in ((1, "this one, one process"), (cluster.cores(), "this one, all cores")):
                if workers == 1 and size > 200:
                    continue
                seconds, found = ours(folder / f"{size}-{words}", chosen.lesson, size, workers)
                same = {student: found[student] for student in wanted if student in found}
                assert same == {student: wanted[student] for student in same}, "the grade rows differ"
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                times = f"{slow / (seconds / size):.1f}" if slow else ""
                line(size, words, f"{seconds:.1f}", f"{seconds / size * 1000:.0f}", times, f"{peak:.0f}")
                shutil.rmtree(folder / f"{size}-{words}")
        print(f"\ncheck() to its answer, warm, median: {answer_time(chosen.lesson) * 1000:.0f} ms")
        print(f"grade rows equal to stock nbgrader's: {len(wanted)} submissions")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
