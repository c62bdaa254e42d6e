"""The gradebook on a real PostgreSQL, started for these tests: the same rows as on SQLite."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from scratch_lesson import write

from autograder import release, sample_class
from autograder.course import Course, database
from autograder.errors import AutograderError
from autograder.grade import grade
from autograder.lessons import COURSE
from autograder.marks import marks

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
LESSON = "90_scratch"
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) + [
    Path(found) for found in [shutil.which("pg_ctl")] if found
]


@pytest.fixture(scope="module")
def server():
    """postgresql://… of an empty server of this test's own; it refuses to run as root."""
    if not PROGRAMS:
        pytest.skip("没有 PostgreSQL 的程序 · PostgreSQL is not installed: apt-get install postgresql")
    user = None if os.geteuid() else pwd.getpwnam("nobody")
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    folder.chmod(0o700)
    who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)

    def run(program: str, *words: str) -> None:
        command = [str(PROGRAMS[-1].with_name(program)), *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, **who)
        assert done.returncode == 0, done.stdout + done.stderr

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    run("initdb", "-D", f"{folder}/data", "-U", "grader", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-o", options, "start")
    try:
        yield f"postgresql://grader@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_the_same_class_gives_the_same_rows_on_both(server, tmp_path):
    names = {"full_marks", "partial", "untouched", "mistake_1", "no_notebook"}
    given = []
    for number, change in enumerate((None, database(server))):
        course = Course(tmp_path / f"course{number}", change)
        course.root.mkdir()
        (course.root / ".secret").write_text("ab" * 32)
        shutil.copy(COURSE / "roster.csv", course.root)
        lesson = release.release(course, LESSON, write(tmp_path / str(number))).lesson
        data = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()
        sample_class.hand_in(course, lesson, data, names)
        results = grade(LESSON, course=course)
        given.append((marks(course, LESSON), [(r.student, r.status, r.score, r.entry.records) for r in results]))
        assert not any(r.fresh for r in grade(LESSON, course=course))
        course.ledger.close()
        assert (course.root / "gradebook.db").exists() == (change is None)
    assert len(given[0][0]) == len(names)
    assert given[0] == given[1]


def test_a_server_that_is_not_there_is_an_error_in_words(tmp_path):
    course = Course.scratch(tmp_path / "course", database("postgresql://grader@127.0.0.1:9/postgres"))
    with pytest.raises(AutograderError) as error, course.gradebook():
        pass
    assert "成绩册" in str(error.value) and "gradebook" in str(error.value)
