"""One student's submission as it lies in submitted/: its bytes, or why there are none.

What could not be taken when it was collected has a note in its place (refused.json), so that its student is not said to
have handed in nothing. Not here: where submissions come from (collect.py), and what is made of their bytes
(transplant.py).
"""

from __future__ import annotations

import json
import os

from autograder.course import Course
from autograder.errors import AutograderError, UnknownName
from autograder.files import Refused, plain_name, read_plain, replace_folder
from autograder.messages import Text, text
from autograder.pages import Pair, pair
from autograder.sources import MOST_KEPT, SMALL
from autograder.testimony import printable

NOTE = "refused.json"


def require(course: Course, lesson: str, student: str) -> None:
    """AutograderError for a student of the roster who has handed in nothing, UnknownName for any other."""
    if student in (submitted := course.students(lesson)):
        return
    if student in course.people():
        remedy = text("nothing_handed_in_remedy", lesson=lesson)
        raise AutograderError(text("nothing_handed_in", given=student, lesson=lesson), remedy=remedy)
    raise UnknownName("unknown_submission", student, submitted)


def handed_in(course: Course, student: str, lesson: str) -> tuple[bytes | None, Pair | None]:
    """A submission's bytes, or why there are none. No link on the way is followed: it may lead to another's work.

    AutograderError if the folder's name is no student's id.
    """
    if not plain_name(student):
        raise AutograderError(text("odd_folder", name=printable(student)), remedy=text("odd_folder_remedy"))
    home, name = course.path("submitted", "x", lesson).parent.parent, f"{lesson}.ipynb"
    if not os.path.lexists(home / student / lesson / name):
        try:
            said = json.loads(read_plain(home, (student, lesson, NOTE), SMALL))
            return None, {language: str(said[language]) for language in ("zh", "en")}
        except (Refused, ValueError, KeyError, TypeError):
            if any(each.is_symlink() for each in (home / student, home / student / lesson)):
                return None, pair(text("file_is_link"))
            found = sorted(printable(each.name) for each in (home / student / lesson).iterdir())
            there = Text("、".join(found), ", ".join(found)) if found else text("an_empty_folder")
            return None, pair(text("no_notebook_there", name=name, found=there))
    try:
        return read_plain(home, (student, lesson, name), MOST_KEPT), None
    except Refused as refused:
        return None, {"zh": f"{name}：{refused.why.zh}", "en": f"{name}: {refused.why.en}"}


def note_refused(course: Course, student: str, lesson: str, why: Text) -> None:
    """Note in a submission's place why it could not be taken. Whatever else lies there stays, and counts instead."""
    folder = course.path("submitted", student, lesson)
    if not folder.exists() or [each.name for each in folder.iterdir()] == [NOTE]:
        replace_folder(folder, {NOTE: json.dumps(why._asdict(), ensure_ascii=False).encode()})
