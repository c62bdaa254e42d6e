"""Students' feedback pages, by `nbgrader generate_feedback` with the course's configuration.

A page is written again only when its graded notebook or the gradebook's scores and comments have changed,
so that a second run is quick. What the page says of a check is pages.py's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from autograder.course import Course
from autograder.errors import AutograderError
from autograder.files import put
from autograder.grade import released_lesson
from autograder.marks import Marks, marks
from autograder.messages import command, text
from autograder.submitted import require


def feedback(
    course: Course,
    lesson: str,
    students: Iterable[str] | None = None,
    step: Callable[[str], None] = lambda student: None,
) -> list[Path]:
    """Write the feedback pages of a lesson (of all its graded submissions, or of `students`).

    Return their paths. `step` is told of each student whose page is done. A page that cannot be made keeps nobody else
    from theirs: AutograderError when all others are there.
    """
    folder = course.path("autograded", "x", lesson).parent.parent
    pages, given = [], marks(course, lesson)
    there = sorted(path.parent.parent.name for path in folder.glob(f"*/{lesson}/{lesson}.ipynb"))
    graded = [student for student in there if student in given]  # not those of a gradebook that is gone
    if not graded:
        released_lesson(course, lesson)  # a slip in its name would be taken for a lesson that waits for grading
    wanted = graded if students is None else list(students)
    failed: list[AutograderError] = []
    for student in wanted:
        if student not in graded:
            require(course, lesson, student)
            raise AutograderError(text("not_graded_yet", given=student), remedy=command("grade", lesson))
        page = course.path("feedback", student, lesson) / f"{lesson}.html"
        state = _state(course, lesson, student, given[student])
        note = page.with_name(".state")
        if not page.is_file() or not note.is_file() or note.read_text() != state:
            try:
                course.nbgrader("generate_feedback", lesson, student)
            except AutograderError as error:
                failed.append(error)
                continue
            put(note, state.encode())
        pages.append(page)
        step(student)
    if failed:
        raise failed[0]
    return pages


def _state(course: Course, lesson: str, student: str, given: Marks) -> str:
    """A hash of all that a feedback page shows."""
    notebook = course.path("autograded", student, lesson) / f"{lesson}.ipynb"
    own = b"".join(
        (Path(__file__).parent / name).read_bytes() for name in ("feedback_page.py", "pages.py", "markdown.py")
    )
    return hashlib.sha256(notebook.read_bytes() + repr(given).encode() + own).hexdigest()
