"""What the commands show on a terminal: the two consoles, a progress bar, grading with a bar.

Where there is no terminal, plain lines are written instead of moving ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from autograder.wrapping import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from autograder.course import Course
    from autograder.grade import Result

# What they show is text: `[x]` in a file's name is no markup, and `:x:` no picture.
_AS_IT_IS: dict[str, Any] = {"markup": False, "emoji": False}
# Where nothing says how wide the page is, wide enough for two languages.
screen = Screen(**_AS_IT_IS) if Console().is_terminal else Screen(width=110, **_AS_IT_IS)
errors = Screen(stderr=True, **_AS_IT_IS)
# What became of a submission: graded, a person must look, failed.
SIGNS = {"graded": "✓", "ungradable": "?", "failed": "✗"}
EARLIER = "（已评过 · graded earlier）"


def grade_shown(course: Course, lesson: str, students: Iterable[str] | None, unsafe: bool, **how: Any) -> list[Result]:
    """Grade with a progress bar; return the results."""
    from autograder.grade import grade

    chosen = None if students is None else list(students)
    with grading(course, lesson, chosen) as progress:
        return grade(lesson, chosen, unsafe=unsafe, course=course, progress=progress, **how)


@contextlib.contextmanager
def grading(
    course: Course, lesson: str, students: list[str] | None
) -> Iterator[Callable[[int, int, Result | None], None]]:
    """A progress bar that shows what became of whom, as what grading tells of its progress."""
    with bar(lesson, len(course.students(lesson) if students is None else students)) as step:

        def progress(done: int, total: int, result: Result | None) -> None:
            if result:
                step(f"{SIGNS[result.status]} {result.student}{'' if result.fresh else EARLIER}", result.fresh)

        yield progress


def feedback_shown(course: Course, lesson: str, students: list[str] | None = None) -> list[Path]:
    """Write feedback pages with a progress bar; return their paths."""
    from autograder.feedback import feedback

    with bar(f"{lesson} 反馈 · feedback", len(students or course.students(lesson)), quiet=True) as step:
        return feedback(course, lesson, students, step)


@contextlib.contextmanager
def bar(title: str, total: int, quiet: bool = False) -> Iterator[Callable[..., None]]:
    """Show a progress bar (where there is no terminal: a line a step, or one if `quiet`) and give a function that takes a step.

    A step that was no work (done in an earlier run) says nothing of how long the rest will take.
    """
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    columns += (TextColumn("剩 · left"), TimeRemainingColumn(), TextColumn("{task.fields[now]}", markup=False))
    if quiet and not screen.is_terminal:
        screen.print(f"{title} …", highlight=False)
    with Progress(*columns, console=screen, disable=not screen.is_terminal, speed_estimate_period=120) as drawn:
        task = drawn.add_task(title, total=total, now="")

        def step(now: str, work: bool = True) -> None:
            if not work:
                drawn.tasks[0].completed += 1
            drawn.update(task, advance=int(work), now=now)
            if not screen.is_terminal and not quiet:
                screen.print(f"{title} [{int(drawn.tasks[0].completed)}/{total}] {now}", highlight=False)

        yield step
