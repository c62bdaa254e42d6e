"""Collecting what was handed in: `autograder collect LESSON [FROM]`, from nbgrader's exchange, a folder or an LMS's zip.

Every version that is found is kept, whole, under collected/LESSON/STUDENT/, and none is ever overwritten; the latest
one becomes submitted/STUDENT/LESSON, which nbgrader and `autograder grade` read. Only the lesson's notebook is taken.
Whose it is says the name of a folder or a file, looked up in the roster; what fits nobody, leads elsewhere, is too
large or is beside the notebook stays where it is, and the report says so, as it does of a time stamp that something
contradicts, which then counts. A student from whom nothing else came has a note in submitted/, which
grading shows as `?`: something was handed in. The source is only read. Collecting again changes nothing. Not here: what
the sources look like inside, and what is believed of their times (sources.py), how what is said is shown (notices.py).
"""

from __future__ import annotations

import functools
import json
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

import nbformat

from autograder.course import NOTES, RECEIPT, SECRET, STAMP, TIME, Course
from autograder.errors import AutograderError
from autograder.files import Refused, plain_name, put_folder, read_plain, replace_folder
from autograder.grade import released_lesson
from autograder.lessons import names
from autograder.messages import Text, duration, text
from autograder.notices import FOLDER, Collected, Notice, remember
from autograder.records import submission_hash
from autograder.sources import MOST_KEPT, SMALL, ZONES, Found, Source, open_source, owner_in, secret, stamp
from autograder.submitted import note_refused
from autograder.testimony import printable
from autograder.transplant import MISSING, read, transplant

# What may well be a submission, and has to be looked at.
_NOT_TAKEN = {".ipynb": "notebook_not_taken"} | dict.fromkeys((".zip", ".rar", ".7z", ".gz"), "archive_not_taken")
MOST_PLACES = 4  # of one student's versions


class _Version(NamedTuple):
    """One version of one student's submission."""

    student: str
    data: bytes
    time: datetime
    receipt: bytes | None
    secret: bytes | None
    where: str = ""

    @property
    def digest(self) -> str:
        return submission_hash(self.data)


def collect(
    course: Course,
    lesson: str,
    source: Path | None = None,
    shown: Callable[[int], AbstractContextManager[Callable[[str], None]]] = lambda steps: nullcontext(lambda who: None),
) -> Collected:
    """Take in all submissions of a lesson that `source` (the exchange, if None) holds. `shown` gives what is told of each
    of so many steps: a notebook was read, a student's latest version is in submitted/.

    Raises AutograderError if the lesson is not released, or the source cannot be read at all, or is the course itself;
    single submissions that cannot be taken are in the report.
    """
    released = released_lesson(course, lesson)
    if source and course.root.is_relative_to(source.resolve()):
        raise AutograderError(text("course_in_source"), str(source), text("course_in_source_remedy"))
    if source and any(source.resolve().is_relative_to(folder) for folder in course.own_folders()):
        raise AutograderError(text("course_folder_is_source"), str(source), text("course_in_source_remedy"))
    exchange = source is None or source.resolve() == course.inbound.resolve()
    name = "exchange" if exchange else str(source)
    with course.alone(), open_source(source or course.inbound, exchange) as opened:
        said = _Collection(course, released.name, opened, name).run(shown)
        remember(course, said, name)
    return said


class _Collection:
    def __init__(self, course: Course, lesson: str, source: Source, name: str):
        self.course, self.lesson, self.source, self.name = course, lesson, source, name
        self.people, self.ids = _people(course), set(course.people())
        self.said = Collected(lesson)
        self.by_bytes: defaultdict[str, set[str]] = defaultdict(set)
        self.refused: dict[str, Text] = {}  # what came from a student and could not be taken, and why
        self.unclear: set[str] = set()  # students of whom any may have handed in what came under the name of all
        release = (course.path("release", ".", lesson) / f"{lesson}.ipynb").read_bytes()
        self.untouched, self.released = submission_hash(release), nbformat.reads(release.decode(), as_version=4)

    def run(self, shown: Callable[[int], AbstractContextManager[Callable[[str], None]]]) -> Collected:
        self._say_what_is_beside()
        whose = list(self._told_apart())
        with shown(len(whose) + len({student for student, _ in whose})) as step:
            came = self._take(whose, step)
        if came and not self.people:
            self._note("roster.csv", text("roster_empty"))
        for digest, students in self.by_bytes.items():
            if len(students) > 1 and digest != self.untouched:
                self._note(", ".join(sorted(students)), text("same_bytes"))
        for student, why in self.refused.items():
            note_refused(self.course, student, self.lesson, why)
        self.said.missing = sorted(self.ids - self.unclear - set(self.course.students(self.lesson)))
        if came:
            self._say_what_is_of_other_lessons()
        if not came and (others := [each for each in sorted(self._lessons()) if any(self.source.notebooks(each))]):
            self._note(", ".join(others), text("only_other_lessons", lesson=self.lesson))
        elif not came and not self.said.notices:
            self._note(self.name, text("nothing_in_source", lesson=self.lesson))
        return self.said

    def _take(self, whose: list[tuple[str, Found]], step: Callable[[str], None]) -> Collection[str]:
        """Keep every version, and let submitted/ hold each student's latest; the students."""
        came: defaultdict[str, list[str]] = defaultdict(list)  # where each student's versions lay
        kept: dict[str, _Version] = {}  # the latest version that is new here, by student
        for student, found in whose:
            step(student)
            if not (each := self._read(student, found)):
                continue
            came[student].append(each.where)
            self.by_bytes[each.digest].add(student)
            self._look_inside(each)
            if self._keep(each):
                kept[student] = max(each, kept.get(student, each), key=lambda version: version.time)
        self._say_what_is_left(came.keys())
        for student in sorted(came):
            step(student)
            if (count := len(came[student])) > 1:
                places = ", ".join(came[student][:MOST_PLACES]) + (" …" if count > MOST_PLACES else "")
                self._note(student, text("several_versions", count=count, places=places))
            changed = self._make_current(student)
            (self.said.fresh if changed else self.said.known).append(student)
            if student in kept and not changed:
                self._say_that_it_is_older(kept[student])
            self._look_at_the_clock(student)
        return came.keys()

    def _note(self, who: str, what: Text, grave: bool = False) -> None:
        """Files' names and receipts are their owners' to choose, and this is shown on a terminal."""
        self.said.notices.append(
            Notice(printable(who).replace("\n", " "), Text(printable(what.zh), printable(what.en)), grave)
        )

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def _say_what_is_beside(self) -> None:
        for where, why in self.source.refused_beside(self.lesson):
            self._note(where, why, grave=True)
        for where, owners, login in self.source.beside(self.lesson, self._lessons()):
            suffixes = Path(where.lower()).suffixes  # notebook.ipynb.txt is a notebook, too
            if suffixes[-1:] == [".json"] and owner_in(Path(where).stem + ".ipynb", self.lesson) is not None:
                suffixes = [".ipynb"]  # some browsers call it so
            key = next((_NOT_TAKEN[each] for each in suffixes if each in _NOT_TAKEN), "not_taken")
            key = key if owner_in(Path(where).name, self.lesson) is None else "copy_not_taken"
            why = text(key, lesson=self.lesson)
            grave = key in _NOT_TAKEN.values()
            self._note(where, why, grave=grave)
            if grave and (student := self._the_one(owners, login)):
                self._refuse(student, where, why)

    def _read(self, student: str, found: Found) -> _Version | None:
        """A notebook as a version of a student's; None, and a notice, if it cannot be read."""
        try:
            data = found.read(MOST_KEPT)
        except Refused as refused:
            self._refuse(student, found.where, refused.why)
            self._note(found.where, refused.why, grave=True)
            return None
        if found.late:
            self._note(student, text("late_says_lms"))
        receipt = found.receipt()
        if receipt and (told := _sha(receipt)) != submission_hash(data):
            self._note(student, text("receipt_of_other", sha=told[:12]))
        time, doubt = found.handed_in(self._first_seen(student, data))
        if doubt:
            self._note(student, doubt)
        return _Version(student, data, time, receipt, found.secret(), found.where)

    def _told_apart(self) -> Iterator[tuple[str, Found]]:
        """The notebooks whose student is known. Several accounts of a platform that go by one name are not one student:
        people there choose what they are called."""
        whose = [(student, each) for each in self.source.notebooks(self.lesson) if (student := self._whose(each))]
        accounts: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for student, each in whose:
            if each.account:
                accounts[student].setdefault(each.account, each.where)
        for student, of in accounts.items():
            if len(of) > 1:
                why = text("several_accounts", numbers=", ".join(of))
                self._note(f"{student}: {', '.join(of.values())}", why, grave=True)
                self._refuse(student, ", ".join(of.values()), why)
        yield from [(student, each) for student, each in whose if len(accounts[student]) < 2]

    def _say_what_is_left(self, came: Collection[str]) -> None:
        """Of a student from whom nothing else has ever come, even an automatic copy may be all of their work."""
        for where, owners, login in self.source.last_resorts(self.lesson):
            student = self._the_one(owners, login)
            if student is None or student in came or student in self.refused:
                continue
            if not (self.course.path("submitted", student, self.lesson) / f"{self.lesson}.ipynb").exists():
                why = text("checkpoint_not_taken", lesson=self.lesson)
                self._note(where, why, grave=True)
                self._refuse(student, where, why)

    def _say_what_is_of_other_lessons(self) -> None:
        """Whoever uploaded nothing else to where a learning platform takes in this lesson may have taken the wrong file."""
        for lesson in sorted(self._lessons()) if self.said.missing else ():
            for found in self.source.notebooks(lesson):
                if found.account and (student := self._the_one(found.names, found.login)) in self.said.missing:
                    self._note(found.where, text("of_another_lesson", student=student, lesson=self.lesson))

    def _lessons(self) -> set[str]:
        """The other lessons that notebooks may belong to."""
        released = (each.name for each in self.course.path("release", ".", self.lesson).parent.iterdir())
        return {*names(), *released} - {self.lesson}

    def _whose(self, found: Found) -> str | None:
        """The student whose it is; None, and a notice, if that cannot be told."""
        if fits := self._named(found.names):
            student, *others = sorted(fits)
            if others:
                self.unclear |= fits
                told_by = " · ".join(name for name in found.names if self._called(name))
                told = text("several_students", name=told_by, ids=", ".join([student, *others]))
            elif found.login in self.ids - {student}:
                told = text("put_there_by", student=student, login=found.login)
            else:
                return student
            self._note(found.where, told, grave=True)
            return None
        if not self.people and found.names and found.names != (self.source.name,) and plain_name(found.names[0]):
            return found.names[0]
        self._note(found.where, text("unknown_student", names=" · ".join(found.names) or "–"), grave=True)
        return None

    def _the_one(self, names: Iterable[str], login: str | None) -> str | None:
        """The only student who may go by any of these names, if the file is not from another's account."""
        whose = self._named(names)
        return min(whose) if len(whose) == 1 and login not in self.ids - whose else None

    def _refuse(self, student: str, where: str, why: Text) -> None:
        """Something came from a student that could not be taken: grading says so where nothing else came.

        Its student reads it, too, on the feedback page: the teacher's folders are none of their business.
        """
        self.refused[student] = text(
            "refused_at_collecting", where=printable(f"{Path(self.name).name}: {where}"), why=why
        )

    def _named(self, names: Iterable[str]) -> set[str]:
        """The students who may go by any of these names."""
        return set().union(*map(self._called, names))

    def _called(self, name: str) -> set[str]:
        """The students who may go by a name. Ids that differ in case or punctuation only are told apart by it."""
        fits = self.people.get(_key(name), set())
        return {name} if name in fits and all(_key(each) == _key(name) for each in fits) else fits

    # ── keeping ──────────────────────────────────────────────────────────────────────────────────

    def _look_inside(self, version: _Version) -> None:
        """Say now what grading will not be able to read, or not find: while it is early, it can be handed in again."""
        try:
            _, notes = transplant(self.released, read(version.data))
        except AutograderError as error:
            self._note(version.student, cast(Text, error.what))
        else:
            if missing := [cell for cell, note in notes.by_cell.items() if note == MISSING]:
                self._note(version.student, text("cells_missing", cells=", ".join(missing)))

    def _keep(self, version: _Version) -> bool:
        """Keep a version; whether it is new here."""
        home = self._home(version.student)
        stamp = version.time.strftime("%Y%m%dT%H%M%S%f")
        folder = home / f"{stamp}_{version.digest[:16]}"
        if folder.exists():
            return False
        files = {f"{self.lesson}.ipynb": version.data, STAMP: version.time.strftime(TIME).encode()}
        files |= {RECEIPT: version.receipt} if version.receipt else {}
        files |= {SECRET: version.secret} if version.secret else {}
        try:
            put_folder(folder, files)
        except OSError as error:
            where = f"{folder}: {error.strerror or error}"
            raise AutograderError(text("not_collected"), where, text("not_collected_remedy")) from None
        return True

    def _first_seen(self, student: str, data: bytes) -> datetime | None:
        """The time under which these bytes were first kept."""
        kept = sorted(self._home(student).glob(f"[0-9]*_{submission_hash(data)[:16]}"))
        return stamp(kept[0]) if kept else None

    def _say_that_it_is_older(self, version: _Version) -> None:
        """What came is not what counts: kept in silence, it would look as if it had been here before."""
        current = self.course.path("submitted", version.student, self.lesson)
        if (current / f"{self.lesson}.ipynb").read_bytes() != version.data:
            times = (f"{each:%Y-%m-%d %H:%M:%S UTC}" for each in (version.time, stamp(current) or version.time))
            self._note(version.student, text("older_version", **dict(zip(("time", "latest"), times, strict=True))))

    def _make_current(self, student: str) -> bool:
        """Let submitted/ hold the student's latest version; whether that changed anything."""
        target = self.course.path("submitted", student, self.lesson)
        name = f"{self.lesson}.ipynb"
        try:
            there: bytes | None = read_plain(target, (name,), MOST_KEPT)
        except (Refused, OSError):
            there = None
        if there is not None:  # it may have come another way: it is kept, too
            when = stamp(target) or datetime.fromtimestamp((target / name).stat().st_mtime, UTC)
            self._keep(_Version(student, there, when, None, self._secret_in(target)))
        kept = [each for each in self._home(student).iterdir() if not each.name.startswith(".")]
        soon = f"{datetime.now(UTC) + ZONES:%Y%m%dT%H%M%S}"  # once, a time that had not come yet was believed
        latest = max([each for each in kept if each.name <= soon] or kept)
        files = {each: (latest / each).read_bytes() for each in (name, *NOTES) if (latest / each).is_file()}
        if files[name] == there:
            return False
        replace_folder(target, files)
        return True

    def _secret_in(self, folder: Path) -> bytes | None:
        try:
            return secret(read_plain(folder, (SECRET,), SMALL))
        except (Refused, OSError):
            return None

    def _home(self, student: str) -> Path:
        return self.course.root / FOLDER / self.lesson / student

    def _look_at_the_clock(self, student: str) -> None:
        due, time = self._due(student), stamp(self.course.path("submitted", student, self.lesson))
        if due and time and time > due:
            self._note(student, text("late", by=duration(time - due)))

    @functools.cached_property
    def _deadline(self) -> tuple[Any, dict[str, timedelta]]:
        """The lesson's due date, and the students' own extensions."""
        with self.course.gradebook() as gradebook:
            due = gradebook.find_assignment(self.lesson).duedate
            given = gradebook.assignment_submissions(self.lesson)
            extensions = {each.student_id: each.extension for each in given if each.extension}
        return due and due.replace(tzinfo=UTC), extensions

    def _due(self, student: str) -> Any:
        """When it was to be handed in: the lesson's due date, with the student's own extension."""
        return self._deadline[0] and self._deadline[0] + self._deadline[1].get(student, timedelta())


def _people(course: Course) -> dict[str, set[str]]:
    """Students by whatever they may be called: id, e-mail, the name in either order."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for student, (first, last, mail) in course.people().items():
        for name in (student, mail, mail.partition("@")[0], first + last, last + first):
            if _key(name):
                found[_key(name)].add(student)
    return dict(found)


def _key(name: str) -> str:
    """What of a name counts: letters, digits, and the marks that some systems write apart from their letter."""
    whole = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in whole if letter.isalnum() or unicodedata.category(letter)[0] == "M")


def _sha(receipt: bytes) -> str:
    try:
        return str(json.loads(receipt)["sha256"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "?"
