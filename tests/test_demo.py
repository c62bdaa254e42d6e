"""The demo keeps out of a real class, whose submissions and grades it would overwrite. What it grades: test_course.py."""

import pytest
from scratch_lesson import scratch_course

from autograder import cli, demo, sample_class
from autograder.errors import AutograderError
from autograder.ledger import Key


def refusal(course):
    with pytest.raises(AutograderError) as refused:
        demo.run(course.root, ["00_warmup"], unsafe=True)
    return str(refused.value)


def test_a_roster_of_real_students_is_a_real_class(tmp_path):
    course = scratch_course(tmp_path)
    (tmp_path / "roster.csv").write_text("id\nsample-li-na\nada\n")
    work = course.path("submitted", "ada", "00_warmup") / "00_warmup.ipynb"
    work.parent.mkdir(parents=True)
    work.write_text("hers")
    assert "real students" in (said := refusal(course)) and ": ada" in said
    assert work.read_text() == "hers" and not course.path("release", ".", "00_warmup").exists()


def test_a_gradebook_of_real_students_is_one_too(tmp_path):
    course = scratch_course(tmp_path)
    with course.gradebook() as gradebook:
        gradebook.add_student("ada")
    assert ": ada" in refusal(course)


def test_a_folder_without_a_roster_gets_one_and_a_short_one_is_refused(tmp_path):
    course = scratch_course(tmp_path)
    demo.only_sample_students(course)
    assert len(course.roster()) == len(sample_class.submissions())
    (tmp_path / "roster.csv").write_text("id\nsample-li-na\n")
    assert "1 sample student" in refusal(course)


def handed_in(course, student):
    """What a student leaves in a course: work, a line in the gradebook, a grading in the ledger."""
    for folder in (course.path("submitted", student, "00_warmup"), course.root / "collected" / "00_warmup" / student):
        folder.mkdir(parents=True)
        (folder / "00_warmup.ipynb").write_text(student)
    with course.gradebook() as gradebook:
        gradebook.add_student(student)
    course.ledger.begin([(Key(student, "00_warmup", "", ""), student)])


def test_the_sample_class_is_cleared_away_and_what_an_instructor_wrote_stays(tmp_path, capsys):
    course = scratch_course(tmp_path)
    course.begin(tmp_path)
    kept = {path: path.read_bytes() for path in tmp_path.iterdir() if path.name in ("roster.csv", "nbgrader_config.py")}
    handed_in(course, "sample-li-na")
    for student in ("sample-li-na", "ada"):  # a real student's may be there before the roster names anyone
        (course.inbound / f"{student}+00_warmup+2026-01-01 10:00:00 UTC").mkdir(parents=True)
    assert cli.main(["--course", str(tmp_path), "demo", "--clear"]) == 0
    assert [path.name.partition("+")[0] for path in course.inbound.iterdir()] == ["ada"]
    assert {path.name for path in tmp_path.iterdir()} == {"roster.csv", "nbgrader_config.py", "exchange", ".lock"}
    cleared, _, stays = capsys.readouterr().out.partition("留着 · kept: ")
    assert all(path.read_bytes() == before for path, before in kept.items()) and "gradebook.db" in cleared
    assert stays.strip() == "exchange, nbgrader_config.py, roster.csv"


def only_on_the_roster(course):
    (course.root / "roster.csv").write_text("id\nsample-li-na\nada\n")


def only_in_the_gradebook(course):
    with course.gradebook() as gradebook:
        gradebook.add_student("ada")


def only_collected(course):
    (course.root / "collected" / "00_warmup" / "ada").mkdir()


@pytest.mark.parametrize("trace", [only_on_the_roster, only_in_the_gradebook, only_collected])
def test_one_real_student_anywhere_and_nothing_is_cleared(tmp_path, capsys, trace):
    course = scratch_course(tmp_path)
    handed_in(course, "sample-li-na")
    trace(course)
    before = {path for path in tmp_path.rglob("*") if ".db-" not in path.name}
    assert cli.main(["--course", str(tmp_path), "demo", "--clear"]) == 1
    assert ": ada" in (said := capsys.readouterr().err) and "never cleared" in said
    assert before <= set(tmp_path.rglob("*")) and course.ledger.counts("00_warmup") == {"begun": 1}
    course.ledger.close()


def test_a_gradebook_elsewhere_is_not_half_cleared(tmp_path, capsys):
    course = scratch_course(tmp_path / "course")
    handed_in(course, "sample-li-na")
    place = f"sqlite:///{tmp_path}/elsewhere.db"
    assert cli.main(["--course", str(course.root), "--db", place, "demo", "--clear"]) == 1
    assert "not in the course folder" in capsys.readouterr().err and (course.root / "submitted").is_dir()
    course.ledger.close()
