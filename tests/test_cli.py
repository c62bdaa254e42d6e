"""The command line: help, errors in both languages, and each command on a small course."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress
from scratch_lesson import scratch_course, with_configuration, write

from autograder import cli, doctor, lessons, nbgrader_plugin, release, terminal
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.grade import grade
from autograder.work import do
from tools import lab

CSV = "CSV UTF-8"


@pytest.fixture
def course(tmp_path):
    made = with_configuration(scratch_course(tmp_path / "course"))
    release.release(made, "90_scratch", write(tmp_path))
    return made


def run(capsys, *arguments):
    """The exit status, and what was printed on both streams."""
    try:
        status = cli.main(list(arguments))
    except SystemExit as left:
        status = left.code
    said = capsys.readouterr()
    return status, said.out + said.err


def test_help_names_every_command_in_both_languages(capsys):
    status, said = run(capsys, "--help")
    assert status == 0
    for command in ("release", "grade", "feedback", "report", "demo", "doctor", "lab"):
        assert command in said
    assert "评分" in said and "grade a lesson's submissions" in said


@pytest.mark.parametrize("command", ["release", "grade", "feedback", "report", "demo", "doctor", "lab"])
def test_every_command_has_help(capsys, command):
    status, said = run(capsys, command, "--help")
    assert status == 0 and "·" in said


@pytest.mark.parametrize("command", ["grade", "report"])
def test_an_unknown_lesson_offers_the_nearest(capsys, course, command):
    status, said = run(capsys, "--course", str(course.root), command, "90_scrach")
    assert status == 1
    assert "90_scratch" in said and "没有" in said and "There is no" in said and "Traceback" not in said


def test_the_beginning_of_a_name_is_enough_to_be_offered_it(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "grade", "90")
    assert status == 1 and "Did you mean: 90_scratch" in said
    for command in ("report", "export"):
        status, said = run(capsys, "--course", str(course.root), command)
        assert status == 0 and "还没有哪一课评过分" in said and "grade LESSON" in said
        status, said = run(capsys, "--course", str(course.root), command, "90_scratch")
        assert status == 0 and "Nothing in 90_scratch has been graded yet" in said and "grade 90_scratch" in said
        assert "还没有评过分" in said and "✓" in said


def test_a_student_who_has_not_handed_in_is_said_to_have_not(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "replay", "ada", "90_scratch", "any")
    assert status == 1 and "There is no submission from a student called 'ada'." in said
    assert "The known names are: none yet" in said
    roster = course.root / "roster.csv"
    roster.write_text("id,first_name,last_name,email\nada,Ada,Lovelace,\n", encoding="utf-8")
    status, said = run(capsys, "--course", str(course.root), "replay", "ada", "90_scratch", "any")
    assert status == 1 and "'ada' is on the roster, but has handed in nothing for 90_scratch." in said
    assert (
        "known names" not in said and f"→ 如果文件已经交来了，先收：autograder --course {course.root} collect" in said
    )
    assert "collect it first" in said
    course.path("submitted", "ada", "90_scratch").mkdir(parents=True)
    assert cli.main(["--course", str(course.root), "replay", "ada", "90_scratch", "tanh_backward", "--unsafe"]) == 1
    assert "→ There is nothing to run again. Ask the student" in capsys.readouterr().err


def test_before_anybody_has_handed_in_a_dry_run_promises_nothing_about_scores(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "regrade", "90_scratch", "--dry-run")
    assert status == 0 and "Nobody has handed in 90_scratch yet" in said and "no score would change" not in said


def test_a_folder_that_is_no_course(capsys, tmp_path):
    status, said = run(capsys, "--course", str(tmp_path / "nothing"), "report", "90_scratch")
    assert status == 1 and "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "zh", "en"),
    [
        (["grade"], "还缺：LESSON", "arguments are required: LESSON"),
        (["nosuch", "x"], "没有 'nosuch' 这个命令", "invalid choice: 'nosuch'"),
        (["grade", "x", "--workers", "0"], "1 以上的整数", "a whole number from 1 on"),
        (["grade", "x", "--scheduler", "nonsense"], "应为 Dask 调度器的地址", "tcp://HOST:PORT  tls://HOST:PORT"),
        (["grade", "x", "--scheduler", "https://10.0.0.1:8786"], "应为 Dask 调度器的地址", "tcp://HOST:PORT"),
        (["grade", "x", "--workers", "two"], "1 以上的整数", "a whole number from 1 on"),
        (["grade", "x", "--student"], "--student 后面要有一个值", "expected one argument"),
        (["doctor", "now"], "不认识：now", "unrecognized arguments: now"),
    ],
)
def test_usage_errors_are_said_in_both_languages(capsys, arguments, zh, en):
    status, said = run(capsys, *arguments)
    help_is_at = "autograder --help" if arguments[0] == "nosuch" else f"autograder {arguments[0]} --help"
    assert status == 2 and zh in said and en in said and said.rstrip().endswith(f"→ {help_is_at}")


def test_a_misspelled_command_is_answered_with_the_one_that_was_meant(capsys):
    status, said = run(capsys, "garde", "00_warmup")
    assert status == 2 and "没有 'garde' 这个命令" in said and said.rstrip().endswith("→ autograder grade")


@pytest.mark.parametrize("url", ["garbage", "foo://x", "mysql://u:secret@h/d"])
def test_a_gradebook_that_cannot_be_is_said_so(capsys, course, url):
    status, said = run(capsys, "--course", str(course.root), "--db", url, "grade", "90_scratch")
    assert status == 1 and "成绩册打不开" in said and "The gradebook cannot be opened" in said
    assert "secret" not in said and url.partition(":secret")[0] in said


def test_a_lesson_that_is_only_not_released_yet(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "grade", "00_warmup")
    assert status == 1 and "还没有发布" in said and f"autograder --course {course.root} release 00_warmup" in said


def test_grading_when_nobody_has_handed_in_says_what_comes_first(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "grade", "90_scratch")
    assert (
        status == 0
        and "还没有人交" in said
        and f"autograder --course {course.root} collect 90_scratch" in said
        and "━" not in said
    )
    status, said = run(capsys, "--course", str(course.root), "feedback", "90_scratch")
    assert status == 0 and "还没有评过分" in said and f"{course.root} grade 90_scratch" in said
    status, said = run(capsys, "--course", str(course.root), "feedback", "90_scrach")
    assert status == 1 and "Did you mean: 90_scratch" in said


def test_a_command_that_is_told_of_is_for_the_same_class(capsys, course, tmp_path):
    """Copied as it stands, it must not work on another course, or another gradebook: nor tell a password."""
    where = ["--course", str(course.root), "--db", f"sqlite:///{course.root}/gradebook.db"]
    begin = f"autograder {' '.join(where)}"
    for words, told in [
        (["grade", "90_scratch"], "collect 90_scratch [FROM]"),
        (["feedback", "90_scratch"], "grade 90_scratch"),
        (["grade", "00_warmup"], "release 00_warmup"),
        (["report"], "grade 课名"),
        (["collect", "90_scratch", str(tmp_path / "nothing.zip")], "collect LESSON"),
    ]:
        assert f"{begin} {told}" in run(capsys, *where, *words)[1]
    _, said = run(capsys, "--course", "no folder", "--db", "postgresql://me:secret@host/db", "report")
    assert "autograder --course 'no folder' --db 'postgresql://me:***@host/db' release" in said
    assert "secret" not in said


@pytest.mark.slow
@pytest.mark.parametrize("found", [True, False])
def test_a_command_is_called_by_its_name_where_the_shell_finds_it_and_else_as_it_was_started(found, tmp_path):
    program = Path(sys.executable).parent / "autograder"
    path = os.pathsep.join([str(program.parent if found else tmp_path), "/usr/bin", "/bin"])
    said = subprocess.run(
        [program, "--course", "no-such-folder", "report"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert f"→ {'autograder' if found else program} --course no-such-folder release" in said.stderr


def test_a_course_folder_that_is_not_there_is_not_made_by_a_slip(capsys, tmp_path):
    for words in (["report"], ["grade", "00_warmup"], ["collect", "00_warmup", "x.zip"], ["export"]):
        status, said = run(capsys, "--course", str(tmp_path / "cuorse"), *words)
        assert status == 1 and "没有这个课程目录" in said and "no such course folder" in said and "release" in said
        status, said = run(capsys, "--course", str(tmp_path), *words)
        assert status == 1 and "这个目录不是课程" in said and "This folder is no course" in said and "release" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_course_of_ones_own_begins_with_a_release(capsys, tmp_path):
    """With what nbgrader and formgrader need there; what an instructor has written is not written over."""
    folder = tmp_path / "autumn term"
    where = ("--course", str(folder))
    status, said = run(capsys, *where, "release", "00_warmup")
    assert status == 0 and f"新课程：{folder}" in said and f"make teach COURSE='{folder}'" in said
    course = Course(folder)
    assert course.people() == {} and course.inbound.is_relative_to(folder) and course.inbound.parent.parent.is_dir()
    assert (course.path("release", ".", "00_warmup") / "00_warmup.ipynb").is_relative_to(folder)
    assert course.config.Autograde == Course().config.Autograde
    assert lab.prepare(str(folder)) == folder
    with pytest.raises(SystemExit, match="no course here"):
        lab.prepare(str(tmp_path))
    (folder / "roster.csv").write_text("id\nada\n")
    assert "新课程" not in run(capsys, *where, "release", "00_warmup")[1]
    (folder / "nbgrader_config.py").unlink()
    assert "新课程" in run(capsys, *where, "release", "00_warmup")[1]
    assert list(Course(folder).people()) == ["ada"]
    status, said = run(capsys, *where, "grade", "00_warmup")
    assert status == 0 and "还没有人交" in said


def test_a_roster_as_spreadsheets_and_people_write_it(course):
    """Blank lines, more commas than columns, and a name that holds the end of a line, in quotes or Unicode's own."""
    lines = 'id,first_name,last_name\r\n\r\n,,,\r\ns1,Ada,Lovelace,,\r\n,,\r\ns2,"An\nna",Li\u2028na\r\ns2,x,y\r\n'
    path = course.root / "roster.csv"
    path.write_bytes(lines.removesuffix("s2,x,y\r\n").encode())
    assert course.people() == {"s1": ("Ada", "Lovelace", ""), "s2": ("An na", "Li na", "")}
    path.write_bytes(lines.encode())
    with pytest.raises(AutograderError, match=f"roster.csv:{len(lines.split(chr(10))) - 1}"):
        course.people()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_roster_is_read_in_the_encodings_and_with_the_separators_of_spreadsheets(course, encoding, separator):
    rows = [("id", "first_name", "last_name", "email"), ("s1", "镕基A", "朱", "z@b.org"), ("s2", "Ada, Lady", "娜", "")]
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(rows)
    (course.root / "roster.csv").write_bytes(written.getvalue().encode(encoding))
    assert course.people() == {"s1": ("镕基A", "朱", "z@b.org"), "s2": ("Ada, Lady", "娜", "")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("roster", "zh", "en", "remedy"),
    [
        ("id,first_name\n1,André\n".encode("latin-1"), "读不出来", "cannot be read", CSV),
        ("id,first_name\n1,Ada\n2,Jürgen\n".encode("latin-1"), "也不像 GBK", "roster.csv:3", CSV),
        ("id,first_name\n1,娜\n".encode("utf-16-le"), "没有 id 这一列", "no id column", CSV),
        (
            'id,first_name\n1,"娜\n2,Ada\n3,Bob\n'.encode(),
            "读不出来",
            "cannot be read",
            CSV,
        ),  # 2 and 3 were in 1's name
        (b"student;name\n1;Ada\n", "没有 id 这一列", "no id column", CSV),
        (b"id,first_name\n1,Ada\n1,Bob\n", "出现了两次", "twice", "→ Delete one of the two lines"),
        (b"id,first_name\n../../etc,Ada\n", "不能当学号", "cannot be an id", "→ Correct the id on this line"),
        (b"id,first_name\n=1+1,Ada\n", "不能当学号", "cannot be an id", "formula"),
        (b"id,first_name\n,Ada\n", "不能当学号", "cannot be an id", "→ Correct the id on this line"),
    ],
)
@pytest.mark.parametrize("command", ["grade", "report"])
def test_a_roster_that_cannot_be_used_is_said_so_and_nothing_is_written(
    capsys, course, command, roster, zh, en, remedy
):
    (course.root / "roster.csv").write_bytes(roster)
    (course.path("submitted", "ada", "90_scratch")).mkdir(parents=True)
    before = (course.root / "gradebook.db").read_bytes()
    status, said = run(capsys, "--course", str(course.root), command, "90_scratch")
    assert status == 1 and zh in said and en in said and remedy in said and (remedy == CSV or CSV not in said)
    assert (course.root / "gradebook.db").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "data", "en"),
    [
        ("release/90_scratch/90_scratch.ipynb", b'{"cells": 3', "The released notebook cannot be read"),
        ("release/90_scratch/90_scratch.ipynb", b"[]", "The released notebook cannot be read"),
        ("nbgrader_config.py", b"c = get_config(\n", "nbgrader_config.py:1: SyntaxError"),
        ("nbgrader_config.py", b"c = get_config()\nc.X = nothing\n", "nbgrader_config.py:2: NameError"),
        ("nbgrader_config.py", b"c = get_config()\n<<<<<<< HEAD\n=======\n>>>>>>> b\n", "git pull left both versions"),
        (".secret", b"not hexadecimal, and long enough to be a secret", "The course secret is damaged"),
        ("ledger.db", b"junk", "The grading ledger is damaged"),
        ("gradebook.db", b"junk", "The gradebook cannot be opened"),
    ],
)
@pytest.mark.sandbox
def test_a_damaged_file_of_the_course_is_said_in_words(capsys, course, file, data, en):
    course.path("submitted", "ada", "90_scratch").mkdir(parents=True)
    (course.root / file).write_bytes(data)
    status, said = run(capsys, "--course", str(course.root), "grade", "90_scratch")
    course.ledger.close()
    assert status == 1 and en in said.replace("\n", "") and "→" in said
    assert (course.root / file).read_bytes() == data  # and it is left as it was


def test_a_configuration_that_names_what_has_moved_still_holds_and_is_told_so(capfd, tmp_path):
    """nbgrader goes on without a configuration that fails, and would grade by itself."""
    path = tmp_path / "nbgrader_config.py"
    now = (lessons.COURSE / path.name).read_text(encoding="utf-8")
    before = now.replace("exchange.Collect", "ours.Collect").replace("release.DropProofs", "ours.DropProofs")
    before = before.replace("markdown.OwnFormulas", "ours.OwnFormulas").replace("feedback_page.Grades", "ours.Grades")
    assert before.count("ours.") == now.count("ours.") + 4
    path.write_text(now, encoding="utf-8")
    config = Course(tmp_path).coursedir().config
    path.write_text(before, encoding="utf-8")
    assert Course(tmp_path).coursedir().config == config
    said = capfd.readouterr().err
    assert (
        "ours.Collect, which is exchange.Collect now" in said and "ours.OwnFormulas 现在是 markdown.OwnFormulas" in said
    )
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        nbgrader_plugin.Nothing


@pytest.mark.parametrize("command", ["export", "report"])
def test_what_the_system_refuses_is_said_in_words(capsys, course, command):
    (course.root / "report").write_text("a file, where a folder has to be")
    status, said = run(capsys, "--course", str(course.root), command, "90_scratch")
    assert status == 1 and "系统拒绝了" in said and "The operating system refused" in said and "report" in said


def test_a_bug_of_ours_is_not_hidden(capsys, course, monkeypatch):
    monkeypatch.setattr("autograder.export.write", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["--course", str(course.root), "export", "90_scratch"])


def test_a_run_that_goes_on_does_not_judge_its_pace_by_what_was_done_before(monkeypatch):
    drawn = []
    monkeypatch.setattr(terminal, "screen", Console(force_terminal=True, file=io.StringIO()))
    monkeypatch.setattr(terminal, "Progress", lambda *a, **k: drawn.append(Progress(*a, **k)) or drawn[-1])
    with terminal.bar("lesson", 60) as step:
        for _ in range(30):
            step("earlier", False)
        assert drawn[0].tasks[0].completed == 30 and drawn[0].tasks[0].time_remaining is None
        for _ in range(3):
            time.sleep(0.02)
            step("now")
        assert drawn[0].tasks[0].completed == 33 and drawn[0].tasks[0].time_remaining >= 27 * 0.02


def test_who_is_being_graded_is_shown_on_a_terminal_and_where_there_is_none(monkeypatch):
    """A submission may take minutes: what has been done last does not say whose."""
    heard, drawn = io.StringIO(), []
    monkeypatch.setattr(terminal, "PATIENCE", 0.05)
    monkeypatch.setattr(terminal, "screen", Console(file=heard))
    with terminal.bar("lesson", 2) as step:
        step.at("ada")
        step("✓ ada")
        step.at("bob")
        time.sleep(0.3)
        step("✓ bob")
    assert heard.getvalue() == "lesson [1/2] ✓ ada\nlesson [1/2] … bob (0 s)\nlesson [2/2] ✓ bob\n"
    monkeypatch.setattr(terminal, "screen", Console(force_terminal=True, file=io.StringIO()))
    monkeypatch.setattr(terminal, "Progress", lambda *a, **k: drawn.append(Progress(*a, **k)) or drawn[-1])
    with terminal.bar("lesson", 2) as step:
        step("✓ ada")
        step.at("bob")
        assert drawn[0].tasks[0].fields["now"] == "✓ ada … bob"


def test_what_takes_long_says_now_and_then_how_far_it_is(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(terminal, "PATIENCE", 0.05)
    monkeypatch.setattr(terminal, "screen", Console(file=heard))
    with terminal.bar("pages", 3, quiet=True) as step:
        step("ada")
        time.sleep(0.1)
        step("bob")
        step("eve")
    assert heard.getvalue() == "pages …\npages [2/3] bob\n"


@pytest.mark.slow
def test_grading_tells_whose_turn_it_is_before_it_begins(course, monkeypatch):
    for student in ("ada", "bob"):
        folder = course.path("submitted", student, "90_scratch")
        shutil.copytree(course.path("release", ".", "90_scratch"), folder)
    seen = []
    monkeypatch.setattr("autograder.grade.do", lambda job: seen.append("graded") or do(job))
    grade("90_scratch", course=course, unsafe=True, progress=lambda done, total, news: seen.append(news), workers=1)
    assert seen[:3] == ["ada", "ada", "graded"] and seen[seen.index("bob") + 2] == "graded"


@pytest.mark.sandbox
def test_grade_feedback_report(capsys, course):
    folder = course.path("submitted", "ada", "90_scratch")
    folder.mkdir(parents=True)
    data = (course.path("release", ".", "90_scratch") / "90_scratch.ipynb").read_text(encoding="utf-8")
    answer = "return grad * (1 - result * result)"
    head = 'def tanh_vjp(grad, result):\\n",\n    "    \\"\\"\\"The gradient of tanh.\\"\\"\\"\\n",\n'
    assert head in data
    (folder / "90_scratch.ipynb").write_text(data.replace(head, head + f'    "    {answer}\\n",\n'))
    place = ("--course", str(course.root))

    status, said = run(capsys, *place, "grade", "90_scratch")
    assert status == 0
    assert "ada" in said and "1 / 4" in said and "exp_log_backward 0/2" in said
    assert "还没有写" in said and "Not written yet" in said

    assert "90_scratch [1/1] ✓ ada\n" in said

    status, said = run(capsys, *place, "grade", "90_scratch", "--student", "ada")
    assert status == 0 and "90_scratch [1/1] ✓ ada（已评过 · graded earlier）" in said

    status, said = run(capsys, *place, "feedback", "90_scratch")
    assert status == 0 and str(course.root / "feedback") in said.replace("\n", "")
    assert (course.root / "feedback" / "ada" / "90_scratch" / "90_scratch.html").is_file()

    status, said = run(capsys, *place, "report", "90_scratch")
    assert status == 0 and (course.root / "report" / "90_scratch.html").is_file()


@pytest.mark.sandbox
def test_doctor_looks_at_everything():
    found = {finding.what: finding for finding in doctor.findings()}
    asked = (
        "torch, nbgrader, bubblewrap, graphviz (dot), Python 3 (ipykernel), nbgrader (JupyterLab), exchange, course/"
    )
    assert set(asked.split(", ")) <= found.keys()
    for name in ("torch", "bubblewrap", "Python 3 (ipykernel)", "nbgrader (JupyterLab)", "release/"):
        assert found[name].ok, found[name]
    assert all(finding.remedy for finding in found.values() if finding.ok is not True)


@pytest.mark.sandbox
def test_doctor_on_a_machine_that_lacks_things(capsys, tmp_path, monkeypatch):
    """No program to be found but what the sandbox needs, no exchange, an extension off, a full disk."""
    course = with_configuration(scratch_course(tmp_path / "course"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    (tmp_path / "jupyter_server_config.json").write_text(
        '{"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.validate_assignment": false}}}'
    )
    monkeypatch.setattr(doctor, "NEEDED_SPACE", 2**80)
    monkeypatch.setattr(release, "check", lambda: ["90_scratch"])  # looked at above; takes a while
    monkeypatch.setattr(cli.screen, "_width", 500)
    status, said = run(capsys, "--course", str(course.root), "doctor")
    assert status == 1 and "Traceback" not in said
    words = " ".join(said.replace("│", " ").split())
    for remedy in ("apt-get install graphviz", "apt-get install chromium", "server extension enable", "free some disk"):
        assert remedy in words
    assert "validate_assignment" in words and "没有启用" in words and "不能写" in words and "mkdir -p" in words
    assert "the sandbox works" in words
    assert "✗" in words and "[/]" not in words and "[red]" not in words


def test_doctor_without_packages(monkeypatch):
    monkeypatch.setattr(doctor, "version", no_package)
    monkeypatch.setitem(sys.modules, "autograder.release", None)
    monkeypatch.delattr("autograder.release")
    found = {finding.what: finding for finding in doctor.findings(only=("pip", "release/"))}
    assert set(found) == {"torch", "nbgrader", "jupyterlab", "numpy", "release/"}
    assert all(not each.ok and each.remedy == "make distclean && make demo" for each in found.values())


def no_package(name):
    raise doctor.PackageNotFoundError(name)


def test_a_course_is_not_collected_from_itself(capsys, course):
    """The notebooks that grading has written would be the newest of every student."""
    for source in (course.root, course.root.parent):
        status, said = run(capsys, "--course", str(course.root), "collect", "90_scratch", str(source))
        assert status == 1 and "The course itself is in there" in said and str(source) in said
    for own in ("autograded", "submitted/ada", "feedback", "release", "source"):
        (folder := course.root / own).mkdir(parents=True, exist_ok=True)
        status, said = run(capsys, "--course", str(course.root), "collect", "90_scratch", str(folder))
        assert status == 1 and "This folder is the course's own" in said and str(folder) in said
    inside = course.root / "downloads"
    inside.mkdir()
    status, said = run(capsys, "--course", str(course.root), "collect", "90_scratch", str(inside))
    assert "The course itself" not in said


def test_a_collection_of_which_there_is_nothing_to_say_says_no_more(capsys, course):
    student = course.root / "inbox" / "ada"
    shutil.copytree(course.path("release", ".", "90_scratch"), student)
    (course.root / "roster.csv").write_text("id\nada\n")
    status, said = run(capsys, "--course", str(course.root), "collect", "90_scratch", str(student.parent))
    assert status == 0 and said.splitlines()[-1] == "90_scratch: 1 collected, 0 already here."


def test_a_student_from_whom_nothing_came_is_not_taken_for_a_slip_of_another(capsys, course):
    (course.root / "roster.csv").write_text("id\nada1\nada2\n")
    shutil.copytree(course.path("release", ".", "90_scratch"), course.path("submitted", "ada2", "90_scratch"))
    for command in ("grade", "feedback"):
        status, said = run(capsys, "--course", str(course.root), command, "90_scratch", "--student", "ada1")
        assert status == 1 and "'ada1' is on the roster, but has handed in nothing for 90_scratch" in said
    grade("90_scratch", course=course, unsafe=True)
    shutil.copytree(course.path("release", ".", "90_scratch"), course.path("submitted", "ada1", "90_scratch"))
    status, said = run(capsys, "--course", str(course.root), "feedback", "90_scratch", "--student", "ada1")
    assert status == 1 and "'ada1' has been graded" in said and "grade 90_scratch" in said


@pytest.mark.parametrize("behind", [False, True])
def test_the_course_is_named_before_the_command_or_behind_it(capsys, course, behind):
    which, what = (
        ("--course", str(course.root), "--db", f"sqlite:///{course.root}/gradebook.db"),
        ("report", "90_scratch"),
    )
    status, said = run(capsys, *what, *which) if behind else run(capsys, *which, *what)
    assert status == 0 and f"{course.root}/report/90_scratch.html" in said
    assert f"{' '.join(which)} grade 90_scratch" in said  # commands that it tells of begin so


def test_what_is_named_twice_is_meant_once(capsys, course):
    status, said = run(capsys, "--course", str(course.root), "report", "90_scratch", "90_scratch")
    assert status == 0 and said.count("report/90_scratch.html") == 1
    shutil.copytree(course.path("release", ".", "90_scratch"), course.path("submitted", "ada", "90_scratch"))
    twice = ("--student", "ada", "--student", "ada")
    status, said = run(capsys, "--course", str(course.root), "grade", "90_scratch", "--unsafe", *twice)
    assert status == 0 and "1 of 1 submissions graded" in said


def test_a_path_in_a_lessons_place_is_answered_with_the_lessons(capsys, course, tmp_path):
    status, said = run(capsys, "--course", str(course.root), "collect", str(tmp_path / "moodle.zip"))
    assert status == 1 and "The known names are: 90_scratch" in said


def test_a_folder_that_is_not_there_is_made_for_the_table(capsys, course, tmp_path):
    run(capsys, "--course", str(course.root), "export", "90_scratch", "--out", f"{tmp_path / 'new' / 'tables'}/")
    assert (tmp_path / "new" / "tables" / "scores.csv").is_file()
    (tmp_path / "file").write_text("x")
    status, said = run(
        capsys, "--course", str(course.root), "export", "90_scratch", "--out", f"{tmp_path / 'file'}/in/"
    )
    assert status == 1 and "✗" in said and "Traceback" not in said  # and no argument of argparse's


def test_the_rosters_head_may_be_written_as_people_write_it(course):
    (course.root / "roster.csv").write_text(
        "ID, First Name, last-name, E_mail, email\nada, Ada, Lovelace, x, a@b.org\n"
    )
    assert course.people() == {"ada": ("Ada", "Lovelace", "a@b.org")}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nofile.ipynb", "cannot be read"),
        ("folder", "cannot be read"),
        ("notes.md", "called after its lesson; 'notes.md'"),
    ],
)
def test_what_cannot_be_handed_in_is_told_as_what_it_is(capsys, tmp_path, name, told):
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.md").write_text("x")
    status, said = run(capsys, "submit", str(tmp_path / name))
    assert status == 1 and told in said and "no lesson called" not in said
