"""Scores as CSV for other systems, and one check run again exactly as it was graded."""

import csv
import json
import re
from html import unescape

import nbformat
import pytest
from scratch_lesson import EXP_LOG, scratch_course, with_configuration, write

from autograder import cli, export, release, replay, report
from autograder.errors import AutograderError, UnknownName
from autograder.feedback import feedback
from autograder.grade import grade, released_lesson
from autograder.lessons import kind
from autograder.marks import marks
from autograder.summary import summarise

pytestmark = pytest.mark.sandbox

LESSON = "90_scratch"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """ada is right in one check, wei is wrong in it, eve handed in no notebook, mallory is a formula, noah nothing."""
    folder = tmp_path_factory.mktemp("class")
    course = with_configuration(scratch_course(folder / "course"))
    roster = "id,first_name,last_name,email\nada,Ada,Lovelace,ada@example.org\nwei,伟,王,\n"
    roster += 'eve,Eve,E,\nmallory,"=HYPERLINK(""x"")",＝1+1,\nnoah,Noah,N,\n'
    (course.root / "roster.csv").write_text(roster)
    release.release(course, LESSON, write(folder))
    data = (course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_text()
    for student, sign in {"ada": "/", "wei": "*", "eve": None, "mallory": "/"}.items():
        notebook = nbformat.reads(data, as_version=4)
        for cell in notebook.cells:
            if kind(cell) == "solution" and cell.id == "exp_log":
                cell.source = EXP_LOG.replace("grad / self", f"grad {sign} self")
        path = course.path("submitted", student, LESSON) / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook) if sign else "PK")
    course.enrol()
    grade(LESSON, course=course)
    return course


def rows(course, form, tmp_path):
    path = tmp_path / "scores.csv"
    where, sheet = export.write(course, [LESSON], form, path)
    assert where == path and len(sheet.students) == 5
    return list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_a_plain_table_has_a_line_a_student_and_no_silent_zero(course, tmp_path):
    head, *body = rows(course, "plain", tmp_path)
    assert head == ["student", "last_name", "first_name", "email", LESSON, "total"]
    scores = {line[0]: line[4] for line in body}
    assert scores == {"ada": "2", "wei": "1", "eve": "", "mallory": "2", "noah": ""}
    assert body[0] == ["ada", "Lovelace", "Ada", "ada@example.org", "2", "2"] and body[1][1:3] == ["王", "伟"]


def test_without_a_name_it_is_all_that_was_graded(course, tmp_path):
    """The release folder of this project holds every lesson; a course may have released a few."""
    never = course.path("release", ".", "91_never") / "91_never.ipynb"
    never.parent.mkdir()
    never.write_bytes((course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes())
    assert cli.main(["--course", str(course.root), "export", "--out", str(tmp_path / "all.csv")]) == 0
    assert (tmp_path / "all.csv").read_text(encoding="utf-8-sig").splitlines()[0].split(",")[4:] == [LESSON, "total"]


def test_the_total_of_nothing_graded_is_nothing(course, tmp_path):
    totals = {line[0]: line[5] for line in rows(course, "plain", tmp_path)[1:]}
    assert totals == {"ada": "2", "wei": "1", "eve": "", "mallory": "2", "noah": ""}


def test_reflections_that_nobody_has_graded_are_told(course, tmp_path, capsys):
    """A score that will still grow looks like one that is done, once another system has it."""

    def told(**given):
        with course.gradebook() as gradebook:
            for name, value in given.items():
                setattr(gradebook.find_grade("reflection", LESSON, LESSON, "ada"), name, value)
            gradebook.db.commit()
        assert cli.main(["--course", str(course.root), "export", LESSON, "--out", str(tmp_path / "scores.csv")]) == 0
        return capsys.readouterr().out

    assert "反思题" not in told()  # what nobody wrote is a zero without a person
    waiting = told(auto_score=None)
    assert f"还有 1 道反思题没有评，分数里还不算它们：{LESSON} 1" in waiting
    assert f"not in these scores: 1 ({LESSON} 1)" in waiting and "Manual Grading" in waiting
    given = told(manual_score=0.5)
    assert "反思题" not in given and "人工给过分" not in given
    again = told(needs_manual_grade=True)  # as grading a later submission leaves it
    assert f"1 处是人工给过分，之后又评过的，分数还是原来那个：{LESSON} 1" in again
    assert f"still with the old points: 1 ({LESSON} 1)" in again
    assert "0.5 / 1 老师给过分，之后又评过，还没有再看 · marked before" in feedback(course, LESSON, ["ada"])[
        0
    ].read_text("utf-8")
    told(auto_score=0, manual_score=None, needs_manual_grade=False)


def test_what_a_person_takes_is_among_the_reasons(course):
    lesson = released_lesson(course, LESSON)
    known = lesson.points, lesson.checks
    with course.gradebook() as gradebook:
        given = gradebook.find_grade("check_exp_log", LESSON, LESSON, "ada")
        auto, given.manual_score = given.auto_score, 0.25
        gradebook.db.commit()
        said = [words.en for words in marks(course, LESSON, ["ada"])["ada"].besides(*known)]
        assert f"Taken by hand: check_exp_log 0.25 / {auto:g}." in said
        given.manual_score = auto
        gradebook.db.commit()
        said = [words.en for words in marks(course, LESSON, ["ada"])["ada"].besides(*known)]
        assert not any("by hand" in words for words in said)
        given.manual_score = None
        gradebook.db.commit()


@pytest.fixture
def late(course):
    def fine(**penalties):
        with course.gradebook() as gradebook:
            for student, penalty in penalties.items():
                gradebook.find_submission_notebook(LESSON, LESSON, student).late_submission_penalty = penalty
            gradebook.db.commit()

    fine(ada=0.5, wei=9)
    yield
    fine(ada=None, wei=None)


@pytest.mark.usefixtures("late")
def test_a_late_submission_has_the_score_that_the_courses_rule_leaves_it(course, tmp_path):
    assert {line[0]: line[4] for line in rows(course, "plain", tmp_path)[1:]}["ada"] == "1.5"
    scores = {row.student: row.score for row in summarise(course, LESSON).rows if row.state == "graded"}
    assert scores == {"ada": 1.5, "wei": 0.0, "mallory": 2.0}


@pytest.fixture
def corrected(course):
    """A person gives wei the point of the check, and reads what eve handed in: first a part of it, then all."""

    def give(student, **points):
        with course.gradebook() as gradebook:
            for grade_id, score in points.items():
                gradebook.find_grade(grade_id, LESSON, LESSON, student).manual_score = score
            gradebook.db.commit()

    everything = dict.fromkeys(summarise(course, LESSON).lesson.points, 0.5)
    give("wei", check_exp_log=1.5)
    give("eve", reflection=1.0)
    yield lambda: give("eve", **everything)
    give("eve", **dict.fromkeys(everything))
    give("wei", check_exp_log=None)


def said(page):
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))).split())


def test_what_a_person_gave_is_said_beside_what_the_referee_gave(course, corrected, capsys, tmp_path):
    report.write(course)
    given = "exp_log_backward 1/2（人工 · by hand: 1.5）"
    assert given in said(course.root / "report" / f"{LESSON}.html")
    assert "exp_log_backward · 1/2（人工 · by hand: 1.5）" in said(course.root / "report" / "students" / "wei.html")
    cli.main(["--course", str(course.root), "grade", LESSON, "--student", "wei"])
    assert given in " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert {line[0]: line[4] for line in rows(course, "plain", tmp_path)[1:]}["wei"] == "1.5"


def test_what_could_not_be_graded_counts_once_a_person_has_given_all_its_points(course, corrected, tmp_path):
    """One point by hand, of an earlier version perhaps, does not make the rest a zero."""

    def shown():
        row = next(row for row in summarise(course, LESSON).rows if row.student == "eve")
        (page,) = feedback(course, LESSON, ["eve"])
        score = re.search(r"Score: (\S+) / 4.0\)", said(page))[1]
        return row.state, {line[0]: line[4] for line in rows(course, "plain", tmp_path)[1:]}["eve"], score

    assert shown() == ("ungradable", "", "–")
    corrected()
    whole = 0.5 * len(summarise(course, LESSON).lesson.points)
    assert shown() == ("graded", f"{whole:g}", f"{whole}")


def test_a_name_that_is_a_formula_stays_a_name(course, tmp_path):
    for form in export.FORMATS:
        assert not any(cell.startswith(("=", "＝")) for line in rows(course, form, tmp_path) for cell in line)


def test_canvas_gets_its_columns_and_the_points_possible(course, tmp_path):
    head, possible, *body = rows(course, "canvas", tmp_path)
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", LESSON]
    assert possible[0].strip() == "Points Possible" and possible[5] == "4"
    assert body[0] == ["Lovelace, Ada", "", "ada", "ada@example.org", "", "2"] and len(body) == 5


def test_moodle_gets_an_item_a_lesson(course, tmp_path):
    head, *body = rows(course, "moodle", tmp_path)
    assert head[:2] == ["ID number", "Username"] and head[-1] == LESSON
    assert [line[-1] for line in body] == ["2", "1", "", "2", ""]


def test_an_unknown_format_or_lesson_is_said(course, tmp_path):
    with pytest.raises(UnknownName, match="canvas"):
        export.write(course, [LESSON], "canvass", tmp_path / "x.csv")
    with pytest.raises(UnknownName):
        export.write(course, ["03_nothing"], "plain", tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_gets_the_file(course, tmp_path):
    path, sheet = export.write(course, [LESSON], "plain", tmp_path)
    assert path == tmp_path / "scores.csv" and len(sheet.students) == 5
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["scores.csv"]


def test_a_replay_gives_what_was_graded_and_shows_both_sides(course, capsys):
    for student, score in {"ada": 2, "wei": 1}.items():
        found = replay.replay(course, student, LESSON, "exp_log_backward")
        assert found.same and found.record["score"] == score
        assert {p.label for p in found.torch} == found.learner.keys()
    arguments = ["--course", str(course.root), "replay", "wei", LESSON, "exp_log_backward"]
    assert cli.main(arguments) == 0
    said = capsys.readouterr().out
    assert "exp_log_backward · 1/2" in said and "和评分时的结果一样" in said and "Same result as when" in said
    assert "torch" in said and "✗" in said and "✓" in said


def test_a_replay_shows_every_number_once():
    array = {"shape": [2, 2], "dtype": "float64", "data": [1.25, -2.5, "nan", 3.75]}
    assert replay._shown(array) == "float64 (2, 2): 1.25, -2.5, nan, 3.75"
    assert replay._shown([array, None]) == "float64 (2, 2): 1.25, -2.5, nan, 3.75\nNone"
    assert replay._shown([1.25, "a"]) == '[1.25, "a"]'
    assert replay._shown([["AddBackward0", 2], ["MulBackward0", 1]]) == '["AddBackward0", 2]\n["MulBackward0", 1]'


def test_a_replay_of_a_changed_file_says_so_and_writes_nothing(course):
    path = course.path("submitted", "ada", LESSON) / f"{LESSON}.ipynb"
    before, state = path.read_text(), course.ledger.history(LESSON, "ada")
    path.write_text(before.replace("grad * result", "result"))
    try:
        found = replay.replay(course, "ada", LESSON, "exp_log_backward")
    finally:
        path.write_text(before)
    assert not found.same and found.notes and found.record["score"] < 2
    assert course.ledger.history(LESSON, "ada") == state


@pytest.mark.parametrize(
    ("student", "check", "error"),
    [
        ("nobody", "tanh_backward", UnknownName),
        ("ada", "no_such_check", UnknownName),
        ("eve", "tanh_backward", AutograderError),
    ],
)
def test_what_cannot_be_replayed_says_why(course, student, check, error):
    with pytest.raises(error) as raised:
        replay.replay(course, student, LESSON, check)
    assert str(raised.value).strip()


def test_a_replay_follows_no_link_to_anothers_work(course, tmp_path):
    path = course.path("submitted", "ada", LESSON) / f"{LESSON}.ipynb"
    path.rename(tmp_path / "hers.ipynb")
    path.symlink_to(tmp_path / "hers.ipynb")
    try:
        with pytest.raises(AutograderError, match="link"):
            replay.replay(course, "ada", LESSON, "tanh_backward")
    finally:
        path.unlink()
        (tmp_path / "hers.ipynb").rename(path)
