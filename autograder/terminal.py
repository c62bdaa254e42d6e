"""What the commands show on a terminal: the two consoles, a progress bar, grading with a bar.

Where there is no terminal, plain lines are written instead of moving ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from autograder.course import Course
    from autograder.grade import Result

# Where nothing says how wide the page is, wide enough for two languages.
screen = Console() if Console().is_terminal else Console(width=110)
errors = Console(stderr=True)


def grade_shown(course: Course, lesson: str, students: Iterable[str] | None, unsafe: bool) -> list[Result]:
    """Grade with a progress bar; return the results."""
    from autograder.grade import grade

    chosen = None if students is None else list(students)
    with bar(lesson, len(course.students(lesson) if chosen is None else chosen)) as step:

        def progress(done: int, total: int, result: Result | None) -> None:
            if result:
                step(f"{result.student} {'' if result.fresh else '（已评过 · graded earlier）'}")

        return grade(lesson, chosen, unsafe=unsafe, course=course, progress=progress)


@contextlib.contextmanager
def bar(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar (plain lines where there is no terminal) and give a function that takes a step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[now]}"), console=screen, disable=not screen.is_terminal) as drawn:
        task = drawn.add_task(title, total=total, now="")

        def step(now: str) -> None:
            drawn.update(task, advance=1, now=now)
            if not screen.is_terminal:
                screen.print(f"{title}: {now}")

        yield step
