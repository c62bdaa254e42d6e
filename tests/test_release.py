"""A released lesson: made by nbgrader, the same bytes every time, and nothing in it that must not be."""

from __future__ import annotations

import json
from dataclasses import replace

import nbformat
import pytest
from scratch_lesson import LESSON, MORE, scratch_course, write

from autograder import checks, leaks, lessons, release
from autograder.errors import AutograderError
from autograder.grade import grade


@pytest.fixture
def course(tmp_path):
    return scratch_course(tmp_path / "course")


@pytest.fixture
def sources(tmp_path):
    return write(tmp_path)


def released(course):
    return course.path("release", ".", "90_scratch") / "90_scratch.ipynb"


@pytest.mark.slow
def test_release_writes_once_and_then_leaves_alone(course, sources):
    assert release.release(course, "90_scratch", sources).changed
    data, when = released(course).read_bytes(), released(course).stat().st_mtime_ns
    assert not release.release(course, "90_scratch", sources).changed
    assert (released(course).read_bytes(), released(course).stat().st_mtime_ns) == (data, when)
    assert release.build(lessons.load("90_scratch", sources)) == data


def test_the_gradebook_knows_the_lesson(course, sources):
    lesson = release.release(course, "90_scratch", sources).lesson
    assert course.knows(lesson)
    with course.gradebook() as gradebook:
        assert gradebook.find_assignment("90_scratch").max_score == lesson.max_score


def test_what_a_student_gets(course, sources):
    release.release(course, "90_scratch", sources)
    notebook = nbformat.read(released(course), as_version=4)
    nbformat.validate(notebook)
    by_id = {cell.id: cell for cell in notebook.cells}
    assert "cell-003" not in by_id  # the proof
    assert "raise NotImplementedError" in by_id["exp_log"].source and "YOUR CODE HERE" in by_id["exp_log"].source
    assert '"""The gradient of exp."""' in by_id["exp_log"].source
    assert (
        by_id["check_exp_log"].source == 'check("exp_log_backward")'
        and by_id["check_exp_log"].metadata.editable is False
    )
    assert "YOUR ANSWER HERE" in by_id["reflection"].source
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}


def test_a_program_to_repair_is_released_broken(course, tmp_path):
    broken = "    return grad * result\n    ### RELEASED AS\n    # return grad\n    ### END"
    sources = write(tmp_path / "repair", LESSON.replace("    return grad * result\n    ### END", broken))
    release.release(course, "90_scratch", sources)
    text = nbformat.read(released(course), as_version=4).cells[3].source
    assert "    return grad\n\n@implements" in text and "grad * result" not in text and "RELEASED" not in text
    assert "raise NotImplementedError" in text  # the cell's other region


def test_a_line_of_the_program_to_repair_is_no_leak(tmp_path):
    same = "    return grad * result\n    ### RELEASED AS\n    # grad = 0\n    # return grad * result\n    ### END"
    lesson = lessons.load(
        "90_scratch", write(tmp_path / "same", LESSON.replace("    return grad * result\n    ### END", same))
    )
    assert leaks.solution_lines(lesson.notebook) == {"return grad / self", "return grad * (1 - result * result)"}


def test_check_finds_what_is_stale(course, sources):
    release.release(course, "90_scratch", sources)
    folder = released(course).parent.parent
    assert release.check(None, sources, folder) == ["90_scratch"]
    released(course).write_bytes(released(course).read_bytes() + b" ")
    with pytest.raises(AutograderError, match="out of date"):
        release.check(None, sources, folder)


def test_check_finds_a_release_without_a_source(course, sources):
    release.release(course, "90_scratch", sources)
    folder = released(course).parent.parent
    (folder / "91_gone").mkdir()
    with pytest.raises(AutograderError, match="91_gone"):
        release.check(None, sources, folder)


def test_a_solution_that_is_not_the_engines_is_refused(course, sources):
    path = sources / "90_scratch" / "90_scratch.py"
    path.write_text(LESSON.replace("return grad * result", "return result * grad"))
    with pytest.raises(AutograderError, match="engine's own source") as caught:
        release.release(course, "90_scratch", sources)
    assert "-    return result * grad" in str(caught.value)
    assert not released(course).exists()


LEAKY = {
    "solution line": "\n# %%\nreturn_ = 1\nreturn grad * result  # as above\n",
    "solution line, in prose": '\n# %% [markdown] tags=["lang-zh"]\n# `return grad * result`\n',
    "rubric line": '\n# %% [markdown] tags=["lang-en"]\n# Rubric: says that exp is its own derivative.\n',
    "proof cell": "\n# %%\nassert minigrad.ones(2).sum().item() == 2\n",
    "marker": "\n# %%\n# BEGIN HIDDEN TESTS\n",
}


def test_points_that_are_not_the_checks_and_checks_that_are_not_are_refused(course, tmp_path):
    """nbgrader would add up other points than the referee gives."""
    with pytest.raises(AutograderError, match="check_tanh 3, @check.'tanh_backward'. 1"):
        release.release(course, "90_scratch", write(tmp_path / "a", LESSON.replace('"points": 1', '"points": 3', 1)))
    with pytest.raises(AutograderError, match="tanh_backward"):
        release.release(course, "90_scratch", write(tmp_path / "b", LESSON.replace("tanh_backward", "tanh_bakward")))


def test_points_that_a_check_got_since_are_refused_by_grading(course, sources, monkeypatch):
    release.release(course, "90_scratch", sources)
    monkeypatch.setitem(checks.REGISTRY, "tanh_backward", replace(checks.get("tanh_backward"), points=3))
    with pytest.raises(AutograderError, match="check_tanh 1, @check.'tanh_backward'. 3"):
        grade("90_scratch", course=course)


@pytest.mark.parametrize("leak", LEAKY)
def test_a_leak_is_found_before_anything_is_released(course, tmp_path, leak):
    sources = write(tmp_path, LESSON + LEAKY[leak])
    with pytest.raises(AutograderError, match=leak.partition(",")[0]):
        release.release(course, "90_scratch", sources)
    assert not released(course).exists()


def test_outputs_metadata_and_attachments_are_leaks(sources):
    lesson = lessons.load("90_scratch", sources)
    notebook = nbformat.reads(release.build(lesson).decode(), as_version=4)
    notebook.metadata["secret"] = 1
    notebook.cells[2].execution_count = 3
    notebook.cells[0].attachments = {"a.png": {"image/png": ""}}
    found = set(leaks.find(lesson, notebook))
    assert found == {"metadata: secret", "output of cell-002", "attachment of cell-000"}


def test_cells_cannot_come_or_go_once_there_are_submissions(course, sources):
    release.release(course, "90_scratch", sources)
    data = released(course).read_bytes()
    with course.gradebook() as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission("90_scratch", "ada")
    path = sources / "90_scratch" / "90_scratch.py"
    path.write_text(LESSON.replace(MORE, ""))
    with pytest.raises(AutograderError, match="graded cells cannot be added or removed"):
        release.release(course, "90_scratch", sources)
    assert released(course).read_bytes() == data


def test_formgraders_button_releases_the_same_bytes(course, sources):
    release.release(course, "90_scratch", sources)
    data = released(course).read_bytes()
    released(course).unlink()
    course.nbgrader("generate_assignment", "90_scratch")
    assert released(course).read_bytes() == data
    assert json.loads(data)
