"""How a lesson source is read: the kinds of cells, ids and metadata, and what breaks a convention."""

from __future__ import annotations

import pytest
from scratch_lesson import CHECK, HEAD, PROOF, SOLUTION, write

from autograder import lessons
from autograder.errors import AutograderError, UnknownName


def test_what_follows_from_the_source(tmp_path):
    lesson = lessons.load("90_scratch", write(tmp_path))
    assert (lesson.title_zh, lesson.title_en) == ("草稿课", "A scratch lesson")
    assert [p.rpartition(".")[2] for p in lesson.parts] == ["exp_vjp", "log_vjp", "tanh_vjp"]
    assert lesson.checks == {"check_exp_log": "exp_log_backward", "check_tanh": "tanh_backward"}
    assert lesson.points == {"check_exp_log": 2, "check_tanh": 1, "reflection": 1}
    assert lesson.max_score == 4
    kinds = [lessons.kind(cell) for cell in lesson.notebook.cells]
    assert kinds == [
        "lang-zh",
        "lang-en",
        "setup",
        "proof",
        "solution",
        "check",
        "solution",
        "check",
        "reflection",
    ]


def test_ids_are_stable(tmp_path):
    folder = write(tmp_path)
    ids = [cell.id for cell in lessons.load("90_scratch", folder).notebook.cells]
    assert ids == [
        "cell-000",
        "cell-001",
        "cell-002",
        "cell-003",
        "exp_log",
        "check_exp_log",
        "tanh",
        "check_tanh",
        "reflection",
    ]
    assert ids == [cell.id for cell in lessons.load("90_scratch", folder).notebook.cells]


def test_setup_cells_cannot_be_edited(tmp_path):
    cells = lessons.load("90_scratch", write(tmp_path)).notebook.cells
    assert [c.id for c in cells if c.metadata.get("editable") is False] == ["cell-002", "cell-003"]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (CHECK.replace('check("exp_log_backward")', 'print(1); check("exp_log_backward")'), "nothing else"),
        (CHECK.replace("check_exp_log", "exp_log"), "used twice"),
        (CHECK.replace("check_exp_log", "Check Exp"), "a-z0-9_"),
        (CHECK.replace(', "points": 2', ""), "points is missing"),
        (PROOF.replace('"proof"', '"proof", "demo"'), "one tag"),
        (PROOF.replace('"proof"', '"poof"'), "one tag"),
    ],
)
def test_a_broken_convention_names_the_lesson_and_the_cell(tmp_path, broken, said):
    folder = write(tmp_path, HEAD + SOLUTION + broken)
    with pytest.raises(AutograderError, match=said) as caught:
        lessons.load("90_scratch", folder)
    assert "90_scratch" in str(caught.value)


def test_an_unknown_lesson_offers_the_nearest(tmp_path):
    with pytest.raises(UnknownName, match="90_scratch"):
        lessons.load("90_scrach", write(tmp_path))


def test_parts_of_a_cell_that_does_not_parse():
    assert lessons.parts_of("def broken(:") == []
    assert lessons.check_name("check(") is None
