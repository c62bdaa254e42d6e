"""How fast a class is graded: stock nbgrader and this grader side by side, then larger classes.

    .venv/bin/python benchmarks/grading.py            60 through both; 60 and 1,000 through ours; check()
    .venv/bin/python benchmarks/grading.py --large    10,000 too
    .venv/bin/python benchmarks/grading.py --stock 12 --sizes 60   a quick look

Stock nbgrader runs every notebook in a kernel; its test cells hold the same checks, as an expression whose value is
the score, and its class has nobody who cheats (it would not notice). The rows of both gradebooks must be equal: the
benchmark stops if they are not. Times are of one run on one machine, by the clock and by the processors: where other
programs keep the cores busy (see the load), the clock says less than the processors do. Every row has a process of
its own; its peak memory is the grader's, workers and sandboxes (which have limits) not counted.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

ROOT = Path(__file__).resolve().parent.parent
MOST_ALONE, FEWEST_SHARED = 200, 20  # submissions for one process, and for workers to be worth measuring
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


class Row(NamedTuple):
    """What one run over a class took: seconds on the clock, seconds of all processors, the most memory in MiB."""

    seconds: float
    cpu: float
    memory: float
    marks: dict[str, dict[str, Any]]

    def cells(self, students: int, slow: Row | None) -> list[str]:
        """For the table: totals, a submission's share, and how many times faster than `slow`, by both clocks."""
        times = ["", ""]
        if slow:
            times = [f"{theirs / (ours / students):.1f}" for theirs, ours in zip(slow[:2], self[:2], strict=True)]
        each = [f"{self.seconds / students * 1000:.0f}", f"{self.cpu / students * 1000:.0f}"]
        return [f"{self.seconds:.1f}", *each, *times, f"{self.memory:.0f}"]


def apart(function: Callable[..., Row], *given: Any) -> Row:
    """Run in a process of its own, so that its time and memory are its own; torch is loaded before the clock starts."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_warm, function, *given).result()


def _warm(function: Callable[..., Row], *given: Any) -> Row:
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from autograder import oracle

    oracle.T.ones(1)
    return function(*given)


def _spent() -> float:
    """Seconds of processor time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _row(started: tuple[float, float], course: Any, name: str, students: int) -> Row:
    seconds, cpu = time.perf_counter() - started[0], _spent() - started[1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Row(seconds, cpu, memory, rows(course, name, students))


def stock(folder: Path, name: str, students: int) -> Row:
    """A class through stock nbgrader."""
    _, lesson, _ = our_course(folder / "lesson", name)
    course, released = stock_course(folder / "stock", name)
    hand_in(course, lesson, released, students)
    started = time.perf_counter(), _spent()
    with quiet():
        for student in course.students(name):
            course.nbgrader("autograde", name, student)
    return _row(started, course, name, students)


def ours(folder: Path, name: str, students: int, workers: int | None) -> Row:
    """A class through this grader, the start of its workers included."""
    from autograder.grade import grade

    course, lesson, released = our_course(folder, name)
    hand_in(course, lesson, released, students)
    started = time.perf_counter(), _spent()
    results = grade(name, course=course, workers=workers)
    row = _row(started, course, name, students)
    assert all(result.status == "graded" and result.fresh for result in results)
    course.ledger.close()
    return row


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


def measure(folder: Path, chosen: argparse.Namespace) -> None:
    """A class through both, then larger ones through this grader; the table is written as it goes."""
    from autograder import cluster

    columns = ["submissions", "grader", "s", "ms each", "CPU ms each", "× stock", "× stock, CPU", "peak MiB", "load"]
    line(*columns)
    line(*["---" if name == "grader" else "--:" for name in columns])
    slow, given = None, {}
    if chosen.stock:
        row = apart(stock, folder / "stock", chosen.lesson, chosen.stock)
        slow, given = Row(row.seconds / chosen.stock, row.cpu / chosen.stock, 0, {}), row.marks
        line(chosen.stock, "stock nbgrader", *row.cells(chosen.stock, slow), f"{os.getloadavg()[0]:.1f}")
    for size in [*chosen.sizes, *([10_000] if chosen.large else [])]:
        for workers, words in ((1, "this one, one process"), (cluster.cores(), "this one, all cores")):
            if size > MOST_ALONE if workers == 1 else size < FEWEST_SHARED:
                continue
            row = apart(ours, folder / f"{size}-{workers}", chosen.lesson, size, workers)
            same = {student: row.marks[student] for student in given if student in row.marks}
            assert same == {student: given[student] for student in same}, "the grade rows differ"
            line(size, words, *row.cells(size, slow), f"{os.getloadavg()[0]:.1f}")
            shutil.rmtree(folder / f"{size}-{workers}")
    print(f"\ncheck() to its answer, warm, median: {answer_time(chosen.lesson) * 1000:.0f} ms")
    print(f"grade rows equal to stock nbgrader's: {len(given)} submissions")


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    given.add_argument("--lesson", default="00_warmup")
    given.add_argument("--stock", type=int, default=60, help="submissions through stock nbgrader")
    given.add_argument("--sizes", type=int, nargs="*", default=[60, 1000])
    given.add_argument("--large", action="store_true", help="10,000 as well")
    chosen = given.parse_args()
    from autograder import cluster

    print(f"{platform.machine()}, {cluster.cores()} cores, load {os.getloadavg()[0]:.1f}, lesson {chosen.lesson}\n")
    folder = Path(tempfile.mkdtemp(prefix="grading-"))
    try:
        measure(folder, chosen)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
