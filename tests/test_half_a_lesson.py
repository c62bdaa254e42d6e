"""Who has written only some parts of a lesson earns what the notebook has shown, and no more.

For every check of every lesson, a submission in which only the cells with its parts are answered: run as in the notebook,
where the engine's own parts stand in for those that are not written, and graded.
"""

from __future__ import annotations

import sys
from html import unescape
from typing import ClassVar

import nbformat
import pytest

import minigrad
from autograder import checks, compare, lessons, oracle, pages, parts, sample_class
from autograder.editions import learners_edition
from autograder.errors import SandboxFailed
from autograder.records import Entry
from autograder.referee import Referee
from autograder.runner.cells import Notebook
from autograder.sandbox import Sandbox
from autograder.solutions import definitions
from autograder.work import job_of

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]
SECRET = b"a secret for tests only"


@pytest.fixture(scope="module")
def referee():
    with Referee(SECRET) as referee:
        yield referee


def submission(lesson, wanted):
    """A job in which the cells with these parts are answered, and no others."""
    released = nbformat.read(lessons.RELEASE / lesson.name / f"{lesson.name}.ipynb", as_version=4)
    right = sample_class.answers_of(lesson)
    answers = {cell: answer for cell, answer in right.items() if {*wanted} & {*definitions(answer)}}
    notebook = sample_class.Material(lesson, released, right).notebook(answers)
    return job_of(lesson, notebook, "ada", SECRET, unsafe=False)


def shown(job):
    """What the notebook shows for each check: check -> score."""
    notebook = Notebook()
    try:
        for cell in job["cells"]:
            assert notebook.execute(cell["id"], cell["source"], 60.0) is None
        found = {}
        for name, seed in job["seeds"].items():
            outcome = checks.attempt(checks.get(name), minigrad, seed)
            found[name] = compare.judge(checks.get(name), oracle.expected(name, seed), outcome).score
        return found
    finally:
        parts.unplug()


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_of_which_some_parts_are_not_written_earns_what_the_notebook_showed(referee, name, monkeypatch):
    monkeypatch.setitem(
        sys.modules, "__main__", sys.modules["__main__"]
    )  # which the cells of a notebook are for a while
    lesson = lessons.load(name)
    for wanted in sorted({tuple(sorted(each.parts)) for each in checks.for_lesson(name)}):
        job = submission(lesson, wanted)
        records = referee.grade(
            name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
        )
        assert {each["check"]: each["score"] for each in records} == shown(job), wanted


def test_it_is_said_which_parts_have_stood_in_and_the_check_can_be_run_again(referee):
    name, check, remove = "09_hooks", "post_accumulate", "minigrad.autograd.hooks.RemovableHandle.remove"
    job = submission(lessons.load(name), checks.get(check).parts)
    records = referee.grade(name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"])
    (record,) = [each for each in records if each["check"] == check]
    assert (
        record["score"] == 2 and remove in record["stood_in"] and not {*checks.get(check).parts} & {*record["stood_in"]}
    )
    for shown in (pages.as_text(record), pages.as_html(record)):
        assert "remove" in shown and "the engine's own stood in" in unescape(shown) and "由引擎自己的顶上" in shown
    edition = learners_edition({*job["parts"]} - {*record["stood_in"]})
    again, _ = referee.hear_one(name, "ada", job["cells"], check, record["seed"], edition)
    assert again["properties"] == record["properties"] and again["score"] == 2


class OnlyTheFirst(Sandbox):
    """Starts for the lesson's own edition, and for no other after it."""

    kits: ClassVar[set[str]] = set()

    def start(self):
        self.kits.add(str(self.kit.root))
        if len(self.kits) > 1:
            raise SandboxFailed("no room for another")
        return super().start()


def test_where_no_sandbox_can_be_had_to_hear_it_again_the_first_result_stays_and_says_so():
    name, check = "09_hooks", "post_accumulate"
    job = submission(lessons.load(name), checks.get(check).parts)
    given = name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
    with Referee(SECRET, OnlyTheFirst) as referee:
        first = {each["check"]: each for each in referee.grade(*given)}
    with Referee(SECRET) as referee:
        whole = {each["check"]: each for each in referee.grade(*given)}
    assert all(each["status"] == "graded" for each in first.values())
    heard_again = {each for each in whole if whole[each].get("stood_in")}
    assert check in heard_again
    for each, record in first.items():
        assert record["score"] == whole[each]["score"] or each in heard_again
        assert bool(record.get("unheard")) == ("no room for another" in str(record["reason"]))
    assert heard_again <= {each for each in first if first[each].get("unheard")}
    entry = Entry(name, "ada", "", "", first)
    assert entry.sandbox_failed and not entry.ungradable and not Entry(name, "ada", "", "", whole).sandbox_failed
