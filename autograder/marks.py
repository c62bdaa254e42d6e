"""What the gradebook says of a lesson: every student's marks and comments, in two queries.

nbgrader's own objects load a student's marks one by one, which takes most of a second run's time. Only reading;
scores are written by gradebook.py and nbgrader_plugin.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograder.course import Course
from autograder.messages import Text, text


class Mark(NamedTuple):
    """One graded cell: the referee's points, a person's (which count instead), and what a person added."""

    auto: float | None
    manual: float | None
    extra: float | None
    needs_a_person: bool

    @property
    def outdated(self) -> bool:
        """Whether a person gave points and has not looked since it was graded again."""
        return self.manual is not None and self.needs_a_person

    @property
    def score(self) -> float:
        """The points that count, as nbgrader counts them."""
        given = self.manual if self.manual is not None else self.auto
        return 0.0 if given is None else given + (self.extra or 0.0)


@dataclass
class Marks:
    """One student's marks and comments, by grade_id."""

    cells: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    penalty: float = 0.0  # for being late, by the course's own rule

    @property
    def score(self) -> float:
        """All points, less the penalty, as nbgrader counts them: never less than nothing."""
        return max(0.0, sum(mark.score for mark in self.cells.values()) - self.penalty)

    @property
    def by_hand(self) -> dict[str, float]:
        """The points that a person gave, by grade_id."""
        return {grade_id: mark.score for grade_id, mark in self.cells.items() if mark.manual is not None}

    def besides(self, points: Mapping[str, float], checks: Collection[str]) -> list[Text]:
        """What cost points and is no check's doing: answers to be read by a person that were left out, what a person has
        taken, being late. points: of each cell, by grade_id; checks: which of them a check looks at."""
        empty, taken = [], []
        for name, mark in self.cells.items():
            most = points.get(name, 0)
            if mark.manual is None:
                empty += [name] if name not in checks and mark.auto == 0 else []
            elif mark.score < most and (mark.auto is None or mark.auto >= most):
                taken.append(f"{name} {mark.score:g} / {most:g}")
        said = [
            text(why, cells=", ".join(cells))
            for why, cells in (("unanswered", empty), ("taken_by_hand", taken))
            if cells
        ]
        return said + ([text("late_penalty", points=f"{self.penalty:g}")] if self.penalty else [])

    @property
    def all_by_hand(self) -> bool:
        """Whether a person gave every point there is: then even what could not be graded is."""
        return len(self.by_hand) == len(self.cells) > 0

    @property
    def needs_a_person(self) -> bool:
        """Whether a person still has points to give."""
        return any(mark.needs_a_person for mark in self.cells.values())


def marks(course: Course, lesson: str, students: list[str] | None = None) -> dict[str, Marks]:
    """The marks of everyone who has any in a lesson (or of these students), by student."""
    from nbgrader.api import Comment, Grade, SubmittedNotebook

    found: dict[str, Marks] = {}
    with course.gradebook() as gradebook:
        fields = (Grade.auto_score, Grade.manual_score, Grade.extra_credit, Grade.needs_manual_grade)
        late = (SubmittedNotebook.late_submission_penalty,)
        for owner, grade_id, *values, penalty in _rows(gradebook, Grade, fields + late, lesson, students):
            given = found.setdefault(owner, Marks())
            given.cells[grade_id], given.penalty = Mark(*values), penalty or 0.0
        for owner, grade_id, auto, manual in _rows(
            gradebook, Comment, (Comment.auto_comment, Comment.manual_comment), lesson, students
        ):
            found.setdefault(owner, Marks()).comments[grade_id] = auto if manual is None else manual
    return found


def _rows(gradebook: Any, kind: Any, fields: tuple[Any, ...], lesson: str, students: list[str] | None) -> Any:
    """(student, grade_id, …) of every grade or comment."""
    from nbgrader.api import Assignment, BaseCell, SubmittedAssignment, SubmittedNotebook

    query = (
        gradebook.db.query(SubmittedAssignment.student_id, BaseCell.name, *fields)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(kind, kind.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, BaseCell.id == kind.cell_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson)
        .order_by(SubmittedAssignment.student_id, BaseCell.name)
    )
    return query if students is None else query.filter(SubmittedAssignment.student_id.in_(students))
