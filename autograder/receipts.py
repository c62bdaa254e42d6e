"""Handing in: `autograder submit NOTEBOOK`, or `submit("my id")` in the last cell of a lesson.

What is handed in are the exact bytes on disk. They are graded once on practice inputs (in the sandbox, or without
one on a machine that has none: it is the learner's own code), and a receipt says what came of it, with their
SHA-256 and the time. Every version is kept, each in a folder of its own; nothing is ever overwritten. Where the
teacher collects (`--to`, $AUTOGRADER_INBOX, or the inbound folder of the exchange in course/, if there is one) a
copy goes, under the name that nbgrader gives it, and the receipt says so; where there is no such place, it says that
nobody has received anything. If that is an exchange, nbgrader is told as well: its Assignment List
shows the version as submitted, and Fetch Feedback finds the page by a secret that went along.

The receipt's points are practice: grading draws other inputs. Collecting is collect.py's.
"""

from __future__ import annotations

import contextlib
import getpass
import io
import json
import os
import secrets
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat

from autograder import lessons, pages, workspace
from autograder.course import RECEIPT, SECRET, STAMP, TIME, Course
from autograder.errors import AutograderError, SandboxFailed, UnknownName
from autograder.files import plain_name, put, put_folder
from autograder.handed_in import Receipt, home_of, latest, next_number
from autograder.messages import text
from autograder.records import Record, submission_hash
from autograder.sources import owner_in

INBOUND = "inbound"  # how an exchange's folder is called that takes submissions: ROOT/COURSE/inbound


def submit(
    notebook: Path | str, student: str | None = None, to: Path | None = None, keep: Path | None = None
) -> Receipt:
    """Hand in a notebook file and give its receipt. The same bytes handed in again get the receipt they have.

    Raises AutograderError if there is no such file, it is no released lesson, or a name will not do.
    """
    path = Path(notebook)
    name, student = path.stem, student or usual_id()
    try:
        data, saved = path.read_bytes(), path.stat().st_mtime
    except OSError as error:
        raise AutograderError(text("no_file_to_submit"), f"{path}: {error.strerror}", text("save_first")) from None
    if not (lessons.RELEASE / name / f"{name}.ipynb").is_file():
        released = [each.name for each in lessons.RELEASE.glob("[0-9]*")]
        if meant := next((each for each in released if owner_in(path.name, each) is not None), None):
            raise AutograderError(
                text("copy_to_submit", lesson=meant), str(path), text("copy_to_submit_remedy", lesson=meant)
            )
        raise UnknownName("not_named_after_a_lesson", path.name, released)
    if not plain_name(student):
        raise AutograderError(text("id_not_plain"), student, text("id_not_plain_remedy"))
    home = keep or home_of(path)
    receipt = latest(home)
    if receipt is None or receipt.sha256 != submission_hash(data) or receipt.student != student:
        receipt = _made(name, student, data, home, saved)
        _put(Path(receipt.folder), receipt, data, secrets.token_hex(64).encode())
    if (inbox := to or exchange()) is not None:
        here, inbox = home / Path(receipt.folder).name, Path(inbox).resolve()
        secret = here / SECRET
        sent = replace(receipt, sent=str(inbox))
        _send(inbox, sent, data, secret.read_bytes() if secret.is_file() else None)
        with contextlib.suppress(OSError):  # a full home directory does not undo what was handed in
            put(here / RECEIPT, _said(sent))
        receipt = sent
    return receipt


def _send(inbox: Path, receipt: Receipt, data: bytes, secret: bytes | None) -> None:
    """Put a version where the teacher collects, and on nbgrader's list of what was handed in to that exchange.

    A folder that is not there is a slip, or a disk that is not connected: made here, nobody would collect from it.
    """
    if not inbox.is_dir():
        raise AutograderError(text("no_inbox"), str(inbox), text("no_inbox_remedy"))
    called = f"{receipt.student}+{receipt.lesson}+{receipt.time}"
    _put(inbox / f"{called}+{receipt.sha256[:12]}", receipt, data, secret)
    if inbox.name == INBOUND:
        with contextlib.suppress(AutograderError):  # nor does this
            _put(nbgraders_list() / inbox.parent.name / called, receipt, data, secret)


def nbgraders_list() -> Path:
    """Where nbgrader on the learner's side keeps what was handed in, a folder for each course."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "nbgrader_cache"


def usual_id() -> str:
    """The name that this learner goes by: JupyterHub's, else the system's."""
    return os.environ.get("JUPYTERHUB_USER") or getpass.getuser()


def exchange() -> Path | None:
    """Where the teacher collects: what $AUTOGRADER_INBOX names, or this project's own exchange if it was opened."""
    named = os.environ.get("AUTOGRADER_INBOX")
    if named is not None:
        return Path(named) if named else None
    inbound = Course().inbound
    return inbound if inbound.is_dir() and os.access(inbound, os.W_OK | os.X_OK) else None


def _put(folder: Path, receipt: Receipt, data: bytes, secret: bytes | None) -> None:
    """Make a version's folder, if it is not there yet. The secret is that by which its student finds the feedback."""
    files = {f"{receipt.lesson}.ipynb": data, STAMP: receipt.time.encode(), RECEIPT: _said(receipt)}
    files |= {SECRET: secret} if secret else {}
    try:
        if not folder.exists():
            put_folder(folder, files)
    except OSError as error:
        where = f"{folder}: {error.strerror or error}"
        raise AutograderError(text("not_handed_in"), where, text("not_handed_in_remedy")) from None


def _said(receipt: Receipt) -> bytes:
    return (json.dumps(asdict(receipt), ensure_ascii=False, indent=1) + "\n").encode()


def _made(name: str, student: str, data: bytes, home: Path, saved: float) -> Receipt:
    records, problem = practice(name, student, data)
    version, digest = next_number(home), submission_hash(data)
    checks = [
        {"check": r["check"], "score": r["score"], "points": r["points"], "headline": pages.headline(r)}
        for r in records
    ]
    return Receipt(
        lesson=name,
        student=student,
        version=version,
        sha256=digest,
        bytes=len(data),
        time=datetime.now(UTC).strftime(TIME),
        score=sum(r["score"] or 0 for r in records),
        points=sum(r["points"] for r in records),
        checks=checks,
        problem=problem,
        folder=str(home / f"{version:03}_{digest[:12]}"),
        saved=datetime.fromtimestamp(saved, UTC).strftime("%H:%M:%S UTC"),
        first_check=workspace.first_check(name, home.parent.parent),
    )


def practice(name: str, student: str, data: bytes) -> tuple[list[Record], dict[str, str] | None]:
    """The records of a dry run of these bytes on inputs drawn at random, or why they cannot be read."""
    from autograder.nbgrader_plugin import transplanted
    from autograder.probe import probe
    from autograder.work import do, job_of, referee

    released = nbformat.read(lessons.RELEASE / name / f"{name}.ipynb", as_version=4)
    lesson, notebook = lessons.describe(name, released), transplanted(released, data)
    if problem := notebook.metadata.autograder["problem"]:
        return [], problem
    try:
        probe()
        unsafe = False
    except SandboxFailed:
        unsafe = True
    job = job_of(lesson, notebook, student, secrets.token_bytes(32), unsafe=unsafe)
    with contextlib.redirect_stderr(io.StringIO()):  # no sandbox here? nobody's code but one's own is run
        here = referee(unsafe)
    with here:
        return list(do(job)["records"].values()), None
