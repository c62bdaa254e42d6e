"""The demo keeps out of a real class, whose submissions and grades it would overwrite. What it grades: test_course.py."""

import pytest
from scratch_lesson import scratch_course

from autograder import demo, sample_class
from autograder.errors import AutograderError


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
