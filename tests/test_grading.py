"""A class graded through the real nbgrader and the real sandbox: scores, reasons, feedback, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import jinja2
import nbformat
import pytest
from scratch_lesson import scratch_course, with_configuration, write

from autograder import markdown, pages, probe, release, report, sample_class, sandbox, work
from autograder.course import Course
from autograder.errors import AutograderError, UnknownName
from autograder.feedback import feedback
from autograder.grade import grade
from autograder.lessons import COURSE
from autograder.summary import summarise

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LESSON = "90_scratch"
QUICK = {
    *("full_marks", "own_cells", "partial", "untouched", "deleted_check", "syntax_error", "no_notebook"),
    *("patches_the_tools", "prints_a_score", "leaves_early", "forged_outputs", "retagged_cells"),
}
EARNED = ["none", "less", "less", "full"]
EMPTY, MISSING = "sample-empty", "sample-missing"


class Class:
    """A graded class: the course, what each student handed in, and the results by the name of the submission."""

    def __init__(self, root: Path, sources: Path):
        self.course = with_configuration(scratch_course(root))
        shutil.copy(COURSE / "roster.csv", root)
        self.lesson = release.release(self.course, LESSON, sources).lesson
        data = (self.course.path("release", ".", LESSON) / f"{LESSON}.ipynb").read_bytes()
        self.handed_in = sample_class.hand_in(self.course, self.lesson, data, QUICK)
        for student in (EMPTY, MISSING):
            self.course.path("submitted", student, LESSON).mkdir(parents=True)
        (self.course.path("submitted", EMPTY, LESSON) / f"{LESSON}.ipynb").write_bytes(b"")
        (self.course.path("submitted", MISSING, LESSON) / "homework.docx").write_bytes(b"PK")
        self.results = {result.student: result for result in grade(LESSON, course=self.course)}

    def student(self, submission: str) -> str:
        return next(s for s, each in self.handed_in.items() if each.name == submission)

    def rows(self, student: str, course: Course | None = None) -> dict[str, tuple]:
        """A student's rows of the gradebook by grade_id: automatic score, manual score, whether a person must look."""
        with (course or self.course).gradebook() as gradebook:
            notebook = gradebook.find_submission_notebook(LESSON, LESSON, student)
            return {g.name: (g.auto_score, g.manual_score, g.needs_manual_grade) for g in notebook.grades}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    return Class(folder / "course", write(folder))


def test_every_submission_earns_what_it_must(graded):
    for student, submission in graded.handed_in.items():
        result = graded.results[student]
        earned = "ungradable" if result.status == "ungradable" else EARNED[int(result.score)]
        assert (submission.name, earned) == (submission.name, submission.expects)


def test_every_lost_point_has_a_reason_in_both_languages(graded):
    for result in graded.results.values():
        for record in result.entry.records.values():
            if pages.lost(record):
                assert record["reason"]["zh"] and record["reason"]["en"], record


def test_a_second_run_changes_nothing(graded):
    def state():
        folder = graded.course.root / "autograded"
        files = {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in [folder, *folder.rglob("*")]}
        return files, graded.course.ledger.of_lesson(LESSON)

    before = state()
    again = grade(LESSON, course=graded.course)
    assert not any(result.fresh for result in again)
    assert [(r.student, r.status, r.score) for r in again] == [
        (r.student, r.status, r.score) for r in graded.results.values()
    ]
    assert state() == before


@pytest.mark.parametrize("student", [EMPTY, MISSING, "no_notebook"])
def test_what_cannot_be_graded_is_no_zero_but_asks_for_a_person(graded, student):
    student = student if student.startswith("sample") else graded.student(student)
    result = graded.results[student]
    assert result.status == "ungradable" and result.problem["zh"] and result.problem["en"]
    assert set(graded.rows(student).values()) == {(None, None, True)}
    with graded.course.gradebook() as gradebook:
        comments = gradebook.find_submission_notebook(LESSON, LESSON, student).comments
        assert comments and all(result.problem["en"] in c.auto_comment for c in comments)
    assert (graded.course.path("submitted", student, LESSON)).is_dir()


def test_the_manually_graded_cell_waits_for_a_person_unless_untouched(graded):
    assert graded.rows(graded.student("full_marks"))["reflection"] == (None, None, True)
    assert graded.rows(graded.student("untouched"))["reflection"] == (0.0, None, False)


def nbgrader(course: Course, *arguments: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(COURSE.parent),
    }
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course.root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def copy_of(graded, folder: Path, *names: str) -> Course:
    """The same class (or these submissions of it), not yet graded, with the same secret."""
    course = with_configuration(scratch_course(folder))
    for name in ("submitted", "release", "source", ".secret", "roster.csv"):
        source = graded.course.root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    for student, submission in graded.handed_in.items() if names else ():
        if submission.name not in names:
            shutil.rmtree(course.path("submitted", student, LESSON))
    course.nbgrader("generate_assignment", LESSON)
    return course


def test_nbgraders_own_command_gives_the_same_grades(graded, tmp_path):
    names = ("full_marks", "partial", "syntax_error", "no_notebook", "retagged_cells")
    course = copy_of(graded, tmp_path / "course", *names)
    nbgrader(course, "autograde", LESSON, "--no-execute")
    for student in [graded.student(name) for name in names]:
        assert graded.rows(student, course) == graded.rows(student)
        mine, theirs = (c.ledger.latest(LESSON, student).records for c in (graded.course, course))
        assert mine == theirs
        assert files(graded.course, student) == files(course, student)


def files(course: Course, student: str) -> dict[str, bytes]:
    """The autograded folder of a student: every file's bytes."""
    return {path.name: path.read_bytes() for path in course.path("autograded", student, LESSON).iterdir()}


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_formgraders_button_gives_the_same_grades(graded, tmp_path):
    from nbgrader.apps import NbGraderAPI

    course = copy_of(graded, tmp_path / "course")
    api = NbGraderAPI(config=course.config)
    for name in ("full_marks", "partial", "no_notebook", "retagged_cells"):
        student = graded.student(name)
        answer = api.autograde(LESSON, student)
        assert answer["success"], answer
        assert graded.rows(student, course) == graded.rows(student)


def test_a_manual_grade_is_kept_when_graded_again(graded):
    student = graded.student("partial")
    with graded.course.gradebook() as gradebook:
        grade_of = gradebook.find_grade("check_tanh", LESSON, LESSON, student)
        grade_of.manual_score = 0.5
        gradebook.db.commit()
    graded.course.nbgrader("autograde", LESSON, student)
    assert graded.rows(student)["check_tanh"] == (0.0, 0.5, True)


def test_one_failure_does_not_stop_the_rest(graded, tmp_path):
    course = copy_of(graded, tmp_path / "course")
    broken, fine = graded.student("full_marks"), graded.student("partial")
    (course.root / "autograded").mkdir()
    (course.root / "autograded" / broken).write_text("a file where a folder must be")
    results = {r.student: r for r in grade(LESSON, [broken, fine], course=course)}
    assert results[broken].status == "failed" and results[broken].problem["zh"]
    assert results[fine].status == "graded" and results[fine].score == 2


def test_unknown_names_and_what_is_not_released(graded, tmp_path):
    with pytest.raises(UnknownName, match="sample-li-na"):
        grade(LESSON, ["sample-li-nah"], course=graded.course)
    with pytest.raises(UnknownName, match=LESSON):
        grade("90_scrach", course=graded.course)
    course = with_configuration(scratch_course(tmp_path / "course"))
    shutil.copytree(graded.course.root / "release", course.root / "release")
    with pytest.raises(AutograderError, match=f"autograder release {LESSON}"):
        grade(LESSON, course=course)


def test_without_a_sandbox_every_record_says_so_and_is_graded_again_with_one(graded, tmp_path, capsys):
    course = copy_of(graded, tmp_path / "course")
    student = graded.student("full_marks")
    work._referee.cache_clear()  # it warns when it begins, which may have been in another test
    (result,) = grade(LESSON, [student], unsafe=True, course=course)
    warned = capsys.readouterr().err
    assert result.score == 3
    assert not any(record["sandboxed"] for record in result.entry.records.values())
    shown = [cell.outputs for cell in autograded(course, student).cells if cell.get("outputs")]
    assert len(shown) == 2
    assert all("graded without a sandbox" in outputs[0].data["text/plain"] for outputs in shown)
    (again,) = grade(LESSON, [student], course=course)
    assert again.fresh and all(record["sandboxed"] for record in again.entry.records.values())
    assert "没有沙箱" in warned and "NO SANDBOX" in warned


def test_where_there_is_no_sandbox_it_can_be_graded_without_one(graded, tmp_path, monkeypatch):
    course = copy_of(graded, tmp_path / "course")
    work._referee.cache_clear()  # neither one that began before, nor what a sandbox once showed, is asked for again
    probe.probe.cache_clear()
    for module in (probe, sandbox):  # a machine without bubblewrap
        monkeypatch.setattr(
            module, "program", lambda name, really=sandbox.program: None if name == "bwrap" else really(name)
        )
    (result,) = grade(LESSON, [graded.student("full_marks")], unsafe=True, course=course)
    assert result.score == 3


def autograded(course: Course, student: str):
    return nbformat.read(course.path("autograded", student, LESSON) / f"{LESSON}.ipynb", as_version=4)


def test_outputs_in_the_graded_notebook_are_the_referees(graded):
    notebook = autograded(graded.course, graded.student("forged_outputs"))
    nbformat.validate(notebook)
    shown = "".join(output.data["text/html"] for cell in notebook.cells for output in cell.get("outputs", ()))
    assert "0/2" in shown and "full marks" not in shown and "<script" not in shown
    assert notebook.metadata.autograder.records.check_tanh.score == 0


def test_feedback_shows_each_check_with_its_reason_and_lets_nothing_run(graded):
    (page,) = feedback(graded.course, LESSON, [graded.student("partial")])
    html = page.read_text(encoding="utf-8")
    assert "✓ exp_log_backward · 2/2" in html and "✗ tanh_backward · 0/1" in html
    assert "还没有写" in html and "Not written yet" in html
    assert "Content-Security-Policy" in html.partition("</head>")[0]
    assert "<script" not in html and "alert(" in html  # the reflection's script, as text
    when = page.stat().st_mtime_ns
    feedback(graded.course, LESSON, [graded.student("partial")])
    assert page.stat().st_mtime_ns == when


def test_feedback_begins_with_what_each_point_was_lost_for(graded):
    students = [graded.student(each) for each in ("partial", "syntax_error", "untouched")]
    pages_of = feedback(graded.course, LESSON, students)
    partial, broken, untouched = (
        page.read_text(encoding="utf-8").partition('id="toc"')[2].partition("</div>")[0] for page in pages_of
    )
    assert '✓ <a href="#check_exp_log"><code>exp_log_backward</code></a> 2 / 2' in partial
    assert '✗ <a href="#check_exp_log"><code>exp_log_backward</code></a> 0 / 2' in broken
    assert "SyntaxError" in broken and "没有运行成功" in broken
    assert untouched.count("✗ ") == 3 and untouched.count("Not written yet") == 1  # one reason, said once
    assert "– / 1 等老师来评 · waits for your teacher" in broken  # not yet graded is no zero


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ("no_notebook", "original file is untouched"),
        (EMPTY, "original file is untouched"),
        (MISSING, "(exactly this name), only: homework.docx"),
    ],
)
def test_feedback_on_what_could_not_be_graded_shows_no_zero_and_says_why(graded, who, why):
    student = who if who in (EMPTY, MISSING) else graded.student(who)
    (page,) = feedback(graded.course, LESSON, [student])
    html = page.read_text(encoding="utf-8")
    assert "没能评分，不是零分" in html and "this is no zero" in html and why in html
    assert "得分 · Score: – / " in html and "0.0 / " not in html and "nan" not in html


def test_a_class_of_feedback_pages_compiles_its_templates_once(graded, monkeypatch):
    first, second = graded.student("own_cells"), graded.student("untouched")
    feedback(graded.course, LESSON, [first])
    compiled = []
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *given, **named: compiled.append(given))
    monkeypatch.setattr(markdown, "mathml", lambda *given, **named: compiled.append(given))
    page = graded.course.path("feedback", second, LESSON) / f"{LESSON}.html"
    page.unlink(missing_ok=True)
    assert feedback(graded.course, LESSON, [second]) == [page] and page.stat().st_size > 10_000
    assert not compiled


def test_feedback_leaves_out_who_is_in_no_gradebook(graded):
    """As when a term begins: the sample class's gradebook is deleted, and its graded notebooks still lie there."""
    left = graded.course.path("autograded", "left-over", LESSON)
    shutil.copytree(graded.course.path("autograded", graded.student("partial"), LESSON), left)
    try:
        pages_of = feedback(graded.course, LESSON)
    finally:
        shutil.rmtree(left.parent)
    assert len(pages_of) > 5 and not graded.course.path("feedback", "left-over", LESSON).exists()


def test_feedback_of_an_unknown_student(graded):
    with pytest.raises(UnknownName):
        feedback(graded.course, LESSON, ["nobody"])


def test_the_class_report(graded):
    summary = summarise(graded.course, LESSON)
    assert sum(summary.bins) == len(summary.graded)
    assert {row.student for row in summary.ungradable} == {EMPTY, MISSING, graded.student("no_notebook")}
    assert {row.student for row in summary.missing} == set(graded.course.roster()) - set(graded.handed_in)
    by_name = {each.name: each for each in summary.checks}
    assert by_name["exp_log_backward"].full == 4  # full, own cells, deleted check, partial
    html = report.write(graded.course, [LESSON])[1].read_text(encoding="utf-8")
    assert "Content-Security-Policy" in html and "<script" not in html
    assert "homework.docx" in html and "还没有写" in html


def test_names_on_the_roster_are_escaped_in_the_report(graded, tmp_path):
    course = copy_of(graded, tmp_path / "course")
    with (course.root / "roster.csv").open("a", encoding="utf-8") as file:
        file.write("evil,<script>alert(1)</script>,X,\n")
    html = report.write(course, [LESSON])[1].read_text(encoding="utf-8")
    assert "&lt;script&gt;" in html and "<script" not in html


def test_two_runs_in_one_course_do_not_mix(graded):
    with graded.course.alone(), pytest.raises(AutograderError, match="Another grading run"):
        grade(LESSON, course=Course(graded.course.root))
    grade(LESSON, course=graded.course)
