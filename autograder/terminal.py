"""What the commands show on a terminal: the two consoles, a progress bar, grading with a bar.

Where there is no terminal, plain lines are written instead of moving ones.
"""

from __future__ import annotations

import contextlib
import threading
import time
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
    from autograder.messages import Text

# What they show is text: `[x]` in a file's name is no markup, and `:x:` no picture.
_AS_IT_IS: dict[str, Any] = {"markup": False, "emoji": False}
# Where nothing says how wide the page is, wide enough for two languages.
screen = Screen(**_AS_IT_IS) if Console().is_terminal else Screen(width=110, **_AS_IT_IS)
errors = Screen(stderr=True, **_AS_IT_IS)
# What became of a submission: graded, a person must look, failed.
SIGNS = {"graded": "✓", "ungradable": "?", "failed": "✗"}
PATIENCE, EVERY = 2.0, 60.0  # seconds until a line says what goes on, and between one such line and the next
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
) -> Iterator[Callable[[int, int, Result | str], None]]:
    """A progress bar that shows what became of whom and whose turn it is, as what grading tells of its progress."""
    with bar(lesson, len(course.students(lesson) if students is None else students)) as step:

        def progress(done: int, total: int, news: Result | str) -> None:
            if isinstance(news, str):
                step.at(news)
            else:
                step(f"{SIGNS[news.status]} {news.student}{'' if news.fresh else EARLIER}", news.fresh)

        yield progress


def feedback_shown(course: Course, lesson: str, students: list[str] | None = None) -> list[Path]:
    """Write feedback pages with a progress bar; return their paths."""
    from autograder.feedback import feedback

    with bar(f"{lesson} 反馈 · feedback", len(students or course.students(lesson)), quiet=True) as step:
        return feedback(course, lesson, students, step)


@contextlib.contextmanager
def said_if_long(words: Text) -> Iterator[None]:
    """Say what is waited for, once, if the block lasts; beside a bar, too, and where there is no terminal."""
    timer = threading.Timer(PATIENCE, lambda: errors.print(" · ".join(words.lines()), highlight=False, soft_wrap=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def bar(title: str, total: int, quiet: bool = False) -> Iterator[Steps]:
    """Show a progress bar (where there is no terminal: a line a step, or now and then one if `quiet`) and give what takes its
    steps.
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
        step = Steps(drawn, title, total, quiet)
        try:
            yield step
        finally:
            step.over.set()


class Steps:
    """Takes the steps of a bar: called with what was done.

    A step that was no work (done in an earlier run) says nothing of how long the rest will take.
    """

    def __init__(self, drawn: Progress, title: str, total: int, quiet: bool):
        self.drawn, self.title, self.total = drawn, title, total
        self.lines, self.quiet = not screen.is_terminal, quiet
        self.task = drawn.add_task(title, total=total, now="")
        self.done, self.doing, self.over = "", "", threading.Event()
        self.since, self.again = 0.0, time.monotonic() + PATIENCE

    def __call__(self, now: str, work: bool = True) -> None:
        if not work:
            self.drawn.tasks[0].completed += 1
        self.done = now
        self.drawn.update(self.task, advance=int(work), now=now)
        if not self.quiet or time.monotonic() > self.again:
            self._line(now)
            self.again = time.monotonic() + (EVERY if self.quiet else PATIENCE)

    def at(self, doing: str) -> None:
        """What goes on now, and will be a step: shown at once; where there is no terminal, once nothing else is for long."""
        if self.lines and not self.doing:
            threading.Thread(target=self._remind, name="progress", daemon=True).start()
        if doing != self.doing:
            self.doing, self.since = doing, time.monotonic()
            self.again = self.since + PATIENCE
        self.drawn.update(self.task, now=f"{self.done} … {doing}".lstrip())

    def _line(self, now: str) -> None:
        if self.lines:
            screen.print(f"{self.title} [{int(self.drawn.tasks[0].completed)}/{self.total}] {now}", highlight=False)

    def _remind(self) -> None:
        """A thread of its own: what takes long has the main one."""
        while not self.over.wait(PATIENCE / 4):
            now = time.monotonic()
            if now > self.again:
                self._line(f"… {self.doing} ({now - self.since:.0f} s)")
                self.again = now + EVERY
