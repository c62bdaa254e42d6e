"""A course: the folder nbgrader works in, opened with the course's own nbgrader configuration.

Gives the paths of every step, runs nbgrader's converters in this process (their logs go to a file), and
keeps what nbgrader has no place for: the secret that seeds come from and the ledger. It decides
nothing about scores.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import secrets
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from traitlets.config import Config, PyFileConfigLoader

from autograder import roster
from autograder.errors import AutograderError
from autograder.files import lock
from autograder.ledger import Ledger
from autograder.lessons import COURSE, Lesson
from autograder.messages import Text, text
from autograder.terminal import said_if_long

CONFIG = "nbgrader_config.py"
MERGE_MARKS = ("<<<<<<<", "=======", ">>>>>>>")  # what git leaves where two versions meet
TIME = "%Y-%m-%d %H:%M:%S.%f UTC"  # as nbgrader writes it
_SQLITE = "sqlite:///"
# What a course in a folder of its own begins with.
_OWN_CONFIG = """\
\"\"\"This course's nbgrader configuration: the kit's, for this folder. Change here what is to be different.\"\"\"

from pathlib import Path

from autograder.lessons import COURSE

c = get_config()
load_subconfig(str(COURSE / "nbgrader_config.py"))

c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.release_directory = "release"
c.Exchange.root = str(Path(c.CourseDirectory.root) / "exchange")
"""
# Beside a submission: its time, whose feedback will be, what the student was told when it was sent.
STAMP, SECRET, RECEIPT = "timestamp.txt", "submission_secret.txt", "receipt.json"
NOTES = (STAMP, SECRET)  # as nbgrader knows them


def is_one(folder: Path) -> bool:
    """Whether a folder is a course already: it has a configuration, or lessons were released into it."""
    return (folder / CONFIG).is_file() or (folder / "release").is_dir()


class Course:
    """A course directory.

    `overrides` change the loaded configuration, e.g. {"RefereeExecute": {"unsafe": True}}.
    """

    def __init__(self, root: Path = COURSE, overrides: dict[str, dict[str, Any]] | None = None):
        self.root = Path(root).resolve()
        home = self.root if (self.root / CONFIG).is_file() else COURSE
        if not (home / CONFIG).is_file():
            raise AutograderError(
                Text("这里没有课程配置。", "There is no course configuration here."), str(home / CONFIG)
            )
        self.config = _configuration(home)
        if home != self.root:
            self.config.CourseDirectory.merge({"root": str(self.root), "release_directory": "release"})
            self.config.Exchange.merge({"root": str(self.root / "exchange")})
        self.overrides = overrides or {}
        for section, values in self.overrides.items():
            self.config[section].merge(values)
        self.ledger = ledger_of(self.root)

    @classmethod
    def begin(cls, folder: Path) -> bool:
        """Give a folder what it lacks to be a course: a configuration, a roster to be filled in. False if it is one."""
        if (folder / CONFIG).is_file():
            return False
        (folder / "exchange").mkdir(parents=True, exist_ok=True)  # nbgrader complains if it is not there
        if not (folder / "roster.csv").exists():
            (folder / "roster.csv").write_text(roster.EMPTY)
        (folder / CONFIG).write_text(_OWN_CONFIG)
        return True

    @classmethod
    def scratch(cls, folder: Path, overrides: dict[str, dict[str, Any]] | None = None) -> Course:
        """A course in an empty folder, configured like the real one, with everything inside the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, overrides)

    def changed(self, overrides: dict[str, dict[str, Any]]) -> Course:
        """The same course with more of its configuration changed."""
        return Course(self.root, self.overrides | overrides)

    # ── nbgrader ─────────────────────────────────────────────────────────────────────────────────

    def path(self, step: str, student: str, lesson: str) -> Path:
        """The folder of a step (source, release, submitted, autograded, feedback)."""
        directory = self.coursedir()
        return Path(directory.format_path(getattr(directory, f"{step}_directory"), student, lesson)).resolve()

    @property
    def inbound(self) -> Path:
        """The folder of nbgrader's exchange that this course's submissions come into."""
        return Path(self.config.Exchange.root) / str(self.coursedir().course_id) / "inbound"

    @property
    def teach(self) -> str:
        """What is typed in the project's folder to open formgrader on this course."""
        return "make teach" if self.root == COURSE else f"make teach COURSE={shlex.quote(str(self.root))}"

    def own_folders(self) -> list[Path]:
        """The folders of all steps: what is in them was written by releasing, collecting or grading."""
        directory = self.coursedir()
        steps = ("source", "release", "submitted", "autograded", "feedback")
        return [Path(self.root, getattr(directory, f"{step}_directory")).resolve() for step in steps]

    def students(self, lesson: str) -> list[str]:
        """The students who submitted a lesson, sorted."""
        folder = self.path("submitted", "x", lesson).parent.parent
        return sorted(p.parent.name for p in folder.glob(f"*/{lesson}") if p.is_dir())

    def roster(self) -> dict[str, str]:
        """The names of the students on the roster (roster.csv, in nbgrader's import format), by id."""
        return {student: roster.full_name(first, last) for student, (first, last, _) in self.people().items()}

    def enrol(self) -> None:
        """Put the roster's students into the gradebook, under their names."""
        with self.gradebook() as gradebook:
            there = {each.id: (each.first_name, each.last_name, each.email or "") for each in gradebook.students}
            for student, (first, last, email) in self.people().items():
                if there.get(student) != (first, last, email):
                    gradebook.update_or_create_student(student, first_name=first, last_name=last, email=email or None)

    def people(self) -> dict[str, tuple[str, str, str]]:
        """The roster: (first name, last name, e-mail) by id."""
        return roster.read(self.root / "roster.csv")

    def nbgrader(self, command: str, lesson: str, student: str | None = None) -> None:
        """Run generate_assignment, autograde or generate_feedback as nbgrader does.

        Raises AutograderError with nbgrader's own last complaint if it fails.
        """
        from nbgrader import converters
        from nbgrader.converters.base import NbGraderException

        directory = self.coursedir()
        directory.assignment_id = lesson
        if student is not None:
            directory.student_id = student
        name = {"autograde": "Autograde", "generate_assignment": "GenerateAssignment"}.get(command, "GenerateFeedback")
        with self._log() as (log, complaints), _tools_on_path(), _without_nbgraders_warnings():
            converter = getattr(converters, name)(coursedir=directory, config=self.config, log=log)
            converter.force = True
            try:
                converter.start()
            except NbGraderException as error:
                raise AutograderError(
                    Text(f"nbgrader {command} 没有做完。", f"nbgrader {command} did not finish."),
                    where=f"{lesson} {student or ''}".strip() + f"\n    {' — '.join(complaints[:2]) or error}",
                    remedy=Text(f"详情见 {self.log_path}", f"Details: {self.log_path}"),
                ) from None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second grading run out while this one writes. The lock goes with the process, however it ends."""
        with open(self.root / ".lock", "a") as held:
            try:
                lock(held)
            except BlockingIOError:
                raise AutograderError(
                    Text(
                        "另一次评分或收作业正在这个课程里运行。",
                        "Another grading run or collection is in progress in this course.",
                    ),
                    where=str(self.root),
                    remedy=Text("等它结束再试。", "Try again when it has finished."),
                ) from None
            yield

    @contextmanager
    def gradebook(self) -> Iterator[Any]:
        """Open nbgrader's gradebook. AutograderError if it does not open, or if the database refuses something."""
        from nbgrader.api import Gradebook, InvalidEntry
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        directory = self.coursedir()
        new = self.db.startswith(_SQLITE) and not Path(self.db.removeprefix(_SQLITE)).exists()
        key = "gradebook_is_made" if new else "gradebook_waited_for"
        with said_if_long(text(key, gradebook=self.db_shown)), _tools_on_path(), _without_nbgraders_warnings():
            opened = Gradebook.__new__(Gradebook)  # in two steps: what it has opened when it raises has to be closed
            try:
                opened.__init__(directory.db_url, directory.course_id)
            except (SQLAlchemyError, ModuleNotFoundError) as error:  # the latter: no driver for such a database
                if hasattr(opened, "engine"):
                    opened.engine.dispose()
                raise AutograderError(
                    Text("成绩册打不开。", "The gradebook cannot be opened."),
                    where=f"{self.db_shown}: {str(getattr(error, 'orig', error)).strip()}",
                    remedy=Text(
                        "看看文件能不能读写，有没有别的程序正锁着它，或者数据库有没有开；什么都没有改动。",
                        "Check that the file can be written, that no other program holds it locked, or that the database "
                        "server is running; nothing was changed.",
                    ),
                ) from None
            try:
                with opened as gradebook:
                    yield gradebook
            except (DBAPIError, InvalidEntry) as error:
                # of some errors nbgrader makes one of its own, and drops the cause's class
                refused = error if isinstance(error, DBAPIError) else error.__context__
                if not isinstance(refused, DBAPIError):
                    raise
                where = f"{self.db_shown}: {refused.orig}"
                raise AutograderError(text("gradebook_refused"), where, text("gradebook_remedy")) from None

    @property
    def db(self) -> str:
        """Where the gradebook is, as SQLAlchemy names it."""
        return str(self.coursedir().db_url)

    @property
    def db_shown(self) -> str:
        """Where the gradebook is, with the password left out: for messages."""
        from sqlalchemy import exc, make_url

        try:
            return make_url(self.db).render_as_string(hide_password=True)
        except exc.ArgumentError:  # it is no URL, which is told
            return self.db

    def knows(self, lesson: Lesson) -> bool:
        """Whether the gradebook holds this lesson with exactly these graded cells and points."""
        from nbgrader.api import MissingEntry

        with self.gradebook() as gradebook:
            try:
                notebook = gradebook.find_notebook(lesson.name, lesson.name)
            except MissingEntry:
                return False
            return {cell.name: cell.max_score for cell in notebook.grade_cells} == lesson.points

    def coursedir(self) -> Any:
        """nbgrader's own idea of this course's folders."""
        from nbgrader.coursedir import CourseDirectory

        return CourseDirectory(config=Config(self.config))

    # ── what is ours ─────────────────────────────────────────────────────────────────────────────

    @property
    def log_path(self) -> Path:
        """The file that nbgrader's log goes to."""
        return self.root / "nbgrader.log"

    @contextmanager
    def _log(self) -> Iterator[tuple[logging.Logger, list[str]]]:
        """A logger that writes to the log file and collects its errors."""
        complaints: list[str] = []

        class Collect(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                complaints.append(record.getMessage().strip().splitlines()[-1])

        log = logging.Logger("nbgrader", logging.INFO)
        to_file = logging.FileHandler(self.log_path, encoding="utf-8", delay=True)
        to_file.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is said by what is written
        to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(to_file)
        log.addHandler(Collect(logging.ERROR))
        try:
            yield log, complaints
        finally:
            with suppress(OSError):  # what a full disk did not take
                to_file.close()


def _configuration(home: Path) -> Config:
    """The course's configuration, which is a program: what it raises is said with its line."""
    try:
        return PyFileConfigLoader(CONFIG, path=str(home)).load_config()
    except Exception as error:
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename.endswith(CONFIG)]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else "?")
        where = f"{home / CONFIG}:{line}: {type(error).__name__}: {error}"
        merging = isinstance(error, SyntaxError) and (error.text or "").startswith(MERGE_MARKS)
        remedy = text("configuration_merge" if merging else "configuration_remedy")
        raise AutograderError(text("configuration_fails"), where, remedy) from None


def database(url: str) -> dict[str, dict[str, Any]]:
    """The change of configuration that puts the gradebook there: sqlite:///…, or postgresql://… (psycopg)."""
    if url.startswith("postgresql://"):
        try:
            import psycopg  # noqa: F401
        except ModuleNotFoundError:
            raise AutograderError(
                Text("用 PostgreSQL 要先装 psycopg。", "A PostgreSQL gradebook needs psycopg."),
                remedy=".venv/bin/pip install -c constraints.txt -e '.[postgresql]'",
            ) from None
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    return {"CourseDirectory": {"db_url": url}}


@contextmanager
def _without_nbgraders_warnings() -> Iterator[None]:
    """Silence SQLAlchemy's remarks on how nbgrader adds a submission, which concern nobody here, and what is raised as well."""
    from sqlalchemy.exc import SAWarning

    logging.getLogger("sqlalchemy.pool.impl.QueuePool").addFilter(_is_news)
    logging.getLogger("tornado.application").addFilter(_is_news)  # nbgrader's, in a process without a server
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        yield


def _is_news(said: logging.LogRecord) -> bool:
    """Whether a remark is about something else than Ctrl-C or what a database refused: its traceback tells nobody more."""
    from sqlalchemy.exc import DBAPIError

    return not (said.exc_info and isinstance(said.exc_info[1], KeyboardInterrupt | DBAPIError))


@contextmanager
def _tools_on_path() -> Iterator[None]:
    """Let nbgrader find `alembic`, which it starts for a new gradebook, in an environment not activated."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


@functools.cache
def ledger_of(root: Path) -> Ledger:
    """The ledger of a course folder: one connection a process."""
    return Ledger(root.resolve() / "ledger.db")


def secret_of(root: Path) -> bytes:
    """The course's secret, which the seeds of grading come from; made at random the first time."""
    path = root / ".secret"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    secret = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{32,}", secret) or len(secret) % 2:
        raise AutograderError(
            Text("课程密钥坏了。", "The course secret is damaged."),
            where=str(path),
            remedy=Text("删掉它会换一个新的（种子也会换）。", "Delete it to get a new one (the seeds change, too)."),
        )
    return bytes.fromhex(secret)
