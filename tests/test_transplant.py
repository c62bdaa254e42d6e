"""Only answers cross over from a submission into the released notebook, whatever was done to it."""

from __future__ import annotations

import copy
import json

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.errors import AutograderError
from autograder.transplant import MISSING, read, transplant

NEVER_RUN = {"outputs": [], "execution_count": None}


def cell(grade_id, source, kind="code", **meta):
    nbgrader = {"grade_id": grade_id, "schema_version": 3, "locked": False, "task": False, **meta}
    made = {"cell_type": kind, "id": grade_id, "metadata": {"nbgrader": nbgrader}, "source": source}
    return made | (NEVER_RUN if kind == "code" else {})


def plain(source, id="mine"):
    return {"cell_type": "code", "id": id, "metadata": {}, "source": source} | NEVER_RUN


RELEASED = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "cells": [
        plain("import minigrad", "cell-000"),
        cell("a", "stub a", solution=True, grade=False),
        cell("check_a", 'check("a")', solution=False, grade=True, points=2),
        cell("b", "stub b", solution=True, grade=False),
        cell("words", "YOUR ANSWER HERE", "markdown", solution=True, grade=True, points=1),
    ],
}


def submitted(change=lambda notebook: None):
    notebook = copy.deepcopy(RELEASED)
    for each, text in ((1, "answer a"), (3, "answer b"), (4, "my words")):
        notebook["cells"][each]["source"] = text
    change(notebook)
    return json.dumps(notebook).encode()


def graded(data):
    return transplant(nbformat.from_dict(copy.deepcopy(RELEASED)), read(data))


def sources(notebook):
    return {c.metadata.nbgrader.grade_id: c.source for c in notebook.cells if "nbgrader" in c.metadata}


WANTED = {"a": "answer a", "check_a": 'check("a")', "b": "answer b", "words": "my words"}


def drop_the_check(nb):
    del nb["cells"][2]


def drop_the_setup(nb):
    del nb["cells"][0]


def retag(nb):
    nbgrader = {"grade_id": "check_a", "points": 99}
    nb["cells"][2]["metadata"] = {"tags": ["skip-execution"], "nbgrader": nbgrader}
    nb["cells"][2]["source"] = "99"


def lose_metadata(nb):
    nb["cells"][1]["metadata"] = {}


def lose_ids(nb):
    for each in nb["cells"]:
        del each["id"]


def split(nb):
    nb["cells"][1]["source"] = "answer"
    nb["cells"].insert(2, cell("a", " a".strip(), solution=True, grade=False))


def shuffle(nb):
    nb["cells"].reverse()


def source_as_lines(nb):
    nb["cells"][1]["source"] = ["answer", " a"]


def to_markdown(nb):
    nb["cells"][1]["cell_type"] = "markdown"


def forge_check_as_solution(nb):
    nb["cells"][2] = cell("check_a", "cheat", solution=True, grade=False)


def attach(nb):
    nb["cells"][4]["attachments"] = {"x.svg": {"image/svg+xml": "<script>"}}


def own_setup(nb):
    nb["cells"][0]["source"] = "import torch as minigrad"


def rubbish_cells(nb):
    nb["cells"] += [None, 3, [], {}, {"source": 4}, {"metadata": [], "source": {}}]
    nb["cells"] += [
        {"metadata": {"nbgrader": []}},
        {"metadata": {"nbgrader": {"grade_id": 4}}, "source": "x"},
    ]


HARMLESS = [drop_the_check, drop_the_setup, retag, lose_metadata, lose_ids, shuffle, source_as_lines]
HARMLESS += [to_markdown, forge_check_as_solution, attach, own_setup, rubbish_cells]


@pytest.mark.parametrize("change", HARMLESS, ids=lambda f: f.__name__)
def test_neither_hurts_nor_helps(change):
    notebook, notes = graded(submitted(change))
    assert sources(notebook) == WANTED
    assert not notes.by_cell
    expected = nbformat.from_dict(json.loads(submitted()))
    assert notebook == expected


def test_a_split_cell_is_joined_and_noted():
    notebook, notes = graded(submitted(split))
    assert sources(notebook)["a"] == "answer\na"
    assert "2" in notes.by_cell["a"].en


@pytest.mark.parametrize("place", [0, 2])
def test_a_copy_that_nobody_has_written_in_undoes_no_answer(place):
    """Copied by mistake, before or behind the answer: joined to it, the last one would be what counts."""
    stub = cell("a", "stub a", solution=True, grade=False)
    notebook, notes = graded(submitted(lambda nb: nb["cells"].insert(place, stub)))
    assert sources(notebook) == WANTED and not notes.by_cell


def test_a_deleted_answer_is_the_stub_and_noted():
    notebook, notes = graded(submitted(lambda nb: nb["cells"].pop(1)))
    assert sources(notebook)["a"] == "stub a"
    assert set(notes.by_cell) == {"a"}


@pytest.mark.parametrize(
    ("data", "why", "remedy"),
    [
        (
            b'{"cells": [\n<<<<<<< HEAD\n{}\n=======\n>>>>>>> main\n]}',
            "merge conflict",
            "remove the lines with <<<<<<<",
        ),
        (b"PK\x03\x04\x14\x00", "archive", "unpack it"),
        ("{梯度".encode("gbk"), "not UTF-8", "start from the released one"),
        (b'{"cells": [', "not JSON", "start from the released one"),
        (b'{"worksheets": []}', "old format", "save it again in JupyterLab"),
    ],
)
def test_what_cannot_be_read_is_told_in_words_that_help(data, why, remedy):
    with pytest.raises(AutograderError) as caught:
        read(data)
    assert why in caught.value.what.en and caught.value.what.zh
    assert remedy in caught.value.remedy.en and caught.value.remedy.zh


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_a_notebook_in_any_of_unicodes_encodings_is_read(encoding):
    assert read(submitted().decode().encode(encoding)) == read(submitted())


def another_lessons(nb):
    for each in nb["cells"]:
        if each["id"] != "words":  # a reflection has the same name in every lesson
            each["id"] = "other_" + each["id"]
            each["metadata"].get("nbgrader", {}).update(grade_id=each["id"])


def nameless(nb):
    for each in nb["cells"]:
        del each["id"]
        each["metadata"] = {}


def only_the_reflection(nb):
    nb["cells"] = [each for each in nb["cells"] if each["id"] == "words"]


@pytest.mark.parametrize("change", [another_lessons, nameless, only_the_reflection], ids=lambda f: f.__name__)
def test_a_notebook_with_no_answer_cell_of_the_lesson_is_no_zero(change):
    with pytest.raises(AutograderError) as caught:
        graded(submitted(change))
    assert "答案格" in caught.value.what.zh and "none of this lesson's" in caught.value.what.en
    assert "别的课" in caught.value.remedy.zh and "another lesson" in caught.value.remedy.en


def test_the_reflection_of_a_notebook_whose_answers_were_deleted_is_kept_and_the_answers_are_said_to_be_missing():
    """A check of the lesson shows which lesson's notebook it is."""
    notebook, notes = graded(
        submitted(lambda nb: nb.update(cells=[each for each in nb["cells"] if each["id"] not in ("a", "b")]))
    )
    assert sources(notebook) == WANTED | {"a": "stub a", "b": "stub b"}
    assert notes.by_cell == {"a": MISSING, "b": MISSING}


def test_own_code_cells_are_noted():
    _, notes = graded(submitted(lambda nb: nb["cells"].insert(1, plain("def helper(): ..."))))
    assert "1" in notes.by_cell[""].zh


def test_a_very_long_answer_is_not_taken():
    notebook, notes = graded(submitted(lambda nb: nb["cells"][1].update(source="#" * 300_000)))
    assert sources(notebook)["a"] == ""
    assert set(notes.by_cell) == {"a"}


NO_NOTEBOOKS = {
    "empty": b"",
    "blank": b"  \n",
    "text": b"not json",
    "binary": b"\xff\xfe\x00",
    "list": b"[1]",
    "no cells": b"{}",
    "cells a number": b'{"cells": 3}',
    "deep": b"[" * 100_000,
    "huge": b"x" * (17 << 20),
}


@pytest.mark.parametrize("data", NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_says_so_in_both_languages(data):
    with pytest.raises(AutograderError) as caught:
        read(data)
    assert "读不出来" in caught.value.what.zh and "cannot be read" in caught.value.what.en


def test_what_is_wrong_with_a_file_is_said_in_words_and_not_in_pythons():
    for data, zh, en in (
        ('{"cells": ["中文"]}'.encode("gbk"), "不是 UTF-8", "not UTF-8"),
        (submitted()[:300], "没有存完", "incomplete"),
        (b"<!DOCTYPE html>", "别的文件", "another kind of file"),
        (
            nbformat.writes(nbformat.convert(nbformat.from_dict(RELEASED), 3), version=3).encode(),
            "旧格式",
            "old format",
        ),
    ):
        with pytest.raises(AutograderError) as caught:
            read(data)
        assert zh in caught.value.what.zh and en in caught.value.what.en
        assert "codec" not in str(caught.value) and "char" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
with_id = st.fixed_dictionaries({"grade_id": st.just("a") | json_values})
wild_cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | json_values,
        "id": st.sampled_from(["a", "b", "words", "check_a"]) | json_values,
        "source": st.sampled_from(["x = 1", "\ud800 lone"]) | st.lists(st.text(max_size=8)) | json_values,
        "metadata": st.fixed_dictionaries({}, optional={"nbgrader": json_values | with_id}) | json_values,
    },
)


@settings(max_examples=50)
@given(st.lists(wild_cells, max_size=4))
def test_any_json_gives_a_valid_notebook_with_nothing_else_changed(cells):
    answer = cell("b", "answer b", solution=True, grade=False)  # with no answer at all it is not the lesson's
    notebook, notes = graded(json.dumps({"cells": [*cells, answer]}).encode())
    nbformat.validate(notebook)
    taken = {"a", "b", "words"}
    for mine, theirs in zip(notebook.cells, RELEASED["cells"], strict=True):
        assert mine | {"source": ""} == theirs | {"source": ""}
        assert mine.id in taken or mine.source == theirs["source"]
        mine.source.encode("utf-8")
    assert json.dumps(notes.as_data())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_notebook_or_an_error_of_ours(data):
    try:
        read(data)
    except AutograderError as error:
        assert str(error)
