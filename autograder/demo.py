"""`autograder demo`: every lesson released, a sample class graded, and where to look at what came of it.

A second run finds everything done and changes nothing. `--clear` removes what the sample class left in a course. Both
work in a sample course only: where the roster, the gradebook or a folder names a student who is not of the sample class,
they stop before touching anything.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.text import Text as Line

from autograder import lessons, release, report, sample_class
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.grade import Result, require_sandbox
from autograder.lessons import COURSE, PROJECT, Lesson
from autograder.messages import Text, text
from autograder.terminal import bar, feedback_shown, grade_shown, screen

SAMPLE = "sample-"  # how the ids of the sample class begin
# Where a class's work and grades are. What an instructor wrote stays, and so do the secret and the releases; of the
# exchange goes what sample students handed in: it would be collected for a class that does not know them.
_GRADES = ("gradebook.db", "ledger.db", "ledger.db-wal", "ledger.db-shm")
_WORK = ("submitted", "collected", "autograded", "feedback", "report")


def run(folder: Path | None, names: Sequence[str], *, unsafe: bool = False) -> int:
    """Release, grade, and write feedback and reports for the named lessons (all if none).

    Print the score tables.
    """
    if folder:
        Course.begin(folder)
    course = Course(folder or COURSE)
    names = list(names) or lessons.names()
    for name in names:
        lessons.source_path(name)
    require_sandbox(unsafe)
    only_sample_students(course)
    with bar("发布 · release", len(names), quiet=True) as step:
        made = [_released(course, name, step) for name in names]
    pages: list[Path] = []
    graded: dict[str, list[Result]] = {}
    labels: dict[str, str] = {}
    for lesson in made:
        path = course.path("release", ".", lesson.name) / f"{lesson.name}.ipynb"
        class_of = sample_class.hand_in(course, lesson, path.read_bytes())
        labels = {student: f"{each.zh}\n{each.en}" for student, each in class_of.items()}
        results = grade_shown(course, lesson.name, None, unsafe)
        screen.print(report.table(course, lesson, results, labels))
        graded[lesson.name] = results
        pages += feedback_shown(course, lesson.name)
    screen.print()
    screen.print(*report.overview(graded, labels, screen.width), sep="\n")
    with bar("报告 · report", len(course.roster()), quiet=True) as step:
        reports = report.write(course, names, step)
    _where(course, pages, reports)
    return 0


def clear(course: Course) -> int:
    """Remove the sample class's submissions, grades, feedback and reports, and say what that was.

    AutograderError, and nothing is touched, where there is anything of a real student, or the gradebook is elsewhere.
    """
    if not course.db.endswith(str(course.root / _GRADES[0])):
        raise AutograderError(
            Text(
                "成绩册不在课程目录里，没有动任何东西。",
                "The gradebook is not in the course folder, so nothing was touched.",
            ),
            where=course.db_shown,
        )
    with course.alone():
        _no_real_students(course, text("demo_clear_remedy", roster=course.root / "roster.csv"))
        course.ledger.close()
        there = [path for name in (*_GRADES, *_WORK) if (path := course.root / name).exists()]
        there += sorted(course.inbound.glob(f"{SAMPLE}*+*"))
        for path in there:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in there:
        screen.print(f"✓ 已清除 · cleared: {_short(path)}", soft_wrap=True)
    kept = ", ".join(sorted(path.name for path in course.root.iterdir() if path.name != ".lock"))
    screen.print(f"  留着 · kept: {kept}", soft_wrap=True)
    return 0


def _released(course: Course, name: str, step: Callable[[str], None]) -> Lesson:
    """Release a lesson.

    Where its cells have changed since the sample class was graded, forget that grading.
    """
    lesson = lessons.load(name)
    if not course.knows(lesson):
        from nbgrader.api import MissingEntry

        with course.gradebook() as gradebook:
            try:
                gradebook.remove_assignment(name)
            except MissingEntry:
                pass
    released = release.release(course, name).lesson
    step(name)
    return released


def only_sample_students(course: Course) -> None:
    """Stop where there is a real class, whose submissions and grades would be overwritten; enrol a sample one where
    there is none."""
    path, wanted = course.root / "roster.csv", len(sample_class.submissions())
    if not course.people():
        path.write_text("id\n" + "".join(f"{SAMPLE}{number:02}\n" for number in range(1, wanted + 1)))
    _no_real_students(course, "autograder --course out/demo demo")
    people = course.roster()
    if len(people) < wanted:
        raise AutograderError(
            Text(
                f"名单上只有 {len(people)} 个样例学生，要有 {wanted} 个。",
                f"The roster has {len(people)} sample students; {wanted} are needed.",
            ),
            where=str(path),
            remedy="autograder --course out/demo demo",
        )


def _no_real_students(course: Course, remedy: Text | str) -> None:
    """AutograderError where anything is of a student who is not of the sample class."""
    with course.gradebook() as gradebook:
        people = {*course.people(), *(each.id for each in gradebook.students)}
    people |= {path.name for path in course.root.glob("collected/*/*")}
    people |= {path.name for step in ("submitted", "autograded", "feedback") for path in course.root.glob(f"{step}/*")}
    if others := sorted(each for each in people if not each.startswith(SAMPLE)):
        raise AutograderError(
            Text(
                "这个课程里有真的学生：样例班不会混进去，也不会动他们的东西。",
                "This course has real students: the sample class is kept out of it, and nothing of theirs is touched.",
            ),
            where=f"{course.root}: {', '.join(others[:5])}",
            remedy=remedy,
        )


def _short(path: Path) -> str:
    return str(path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path)


def _where(course: Course, pages: list[Path], reports: list[Path]) -> None:
    """Say where everything is, and how to open it."""

    def show(bold: str, plain: str = "") -> None:
        screen.print(Line.assemble((bold, "bold"), plain))

    show("\n班级报告 · Class reports")
    for path in reports:
        show("", f"  {_short(path)}")
    folder = course.path("feedback", "x", "x").parent.parent
    show("反馈页 · Feedback pages", f" ({len(pages)})\n  {_short(folder)}/…")
    if pages:
        show("", f"  {_short(pages[0])}")
    show("打开课程 · Open the lessons", "   make lab")
    show("在 formgrader 里看这个班 · See this class in formgrader", f"   {course.teach}")
