"""Who has written only some parts of a lesson, or some of them wrong, earns what the notebook has shown, and no more.

For every check of every lesson, a submission in which only the cells with its parts are answered; and for every part,
one in which it alone is wrong: run as in the notebook, where the engine's own stand in for others, and graded.
"""

from __future__ import annotations

import sys
from typing import ClassVar

import nbformat
import pytest

from autograder import checks, lessons, mistakes, pages, parts, sample_class, workspace
from autograder.editions import learners_edition
from autograder.errors import SandboxFailed
from autograder.notebook import _seeds, look
from autograder.records import Entry
from autograder.referee import Referee
from autograder.runner.cells import Notebook
from autograder.runner.limits import DEFAULT
from autograder.sandbox import Sandbox
from autograder.solutions import definitions
from autograder.work import job_of

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]
SECRET = b"a secret for tests only"


@pytest.fixture(scope="module")
def referee():
    with Referee(SECRET) as referee:
        yield referee


@pytest.fixture(autouse=True)
def no_hints(monkeypatch):
    """Which mistake it was takes the referee longer to find out than all the rest; test_mistakes.py has the same ones."""
    monkeypatch.setattr(mistakes, "recognise_all", lambda runs: {})


def material(lesson):
    released = nbformat.read(lessons.RELEASE / lesson.name / f"{lesson.name}.ipynb", as_version=4)
    return sample_class.Material(lesson, released, sample_class.answers_of(lesson))


def submission(lesson, wanted):
    """A job in which the cells with these parts are answered, and no others."""
    made = material(lesson)
    answers = {cell: answer for cell, answer in made.answers.items() if {*wanted} & {*definitions(answer)}}
    return job_of(lesson, made.notebook(answers), "ada", SECRET, unsafe=False)


def with_a_mistake(lesson, mistake):
    """A job in which all is right but one part."""
    made = material(lesson)
    wrong = {
        cell: sample_class.with_mistake(answer, mistake)
        for cell, answer in made.answers.items()
        if mistake.part in definitions(answer)
    }
    return job_of(lesson, made.notebook(made.answers | wrong), "ada", SECRET, unsafe=False)


def shown(job):
    """What the notebook shows for each check: check -> score."""
    notebook = Notebook()
    try:
        for cell in job["cells"]:
            assert notebook.execute(cell["id"], cell["source"], 60.0) is None
        views = {name: look(checks.get(name), seed) for name, seed in job["seeds"].items()}
        return {name: int(view.score.partition("/")[0]) for name, view in views.items()}
    finally:
        parts.unplug()
        _seeds.clear()
        workspace._passed.clear()


@pytest.fixture(autouse=True)
def main(monkeypatch):
    """Which the cells of a notebook are for a while."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_of_which_some_parts_are_not_written_earns_what_the_notebook_showed(referee, name):
    lesson = lessons.load(name)
    for wanted in sorted({tuple(sorted(each.parts)) for each in checks.for_lesson(name)}):
        job = submission(lesson, wanted)
        records = referee.grade(
            name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
        )
        assert {each["check"]: each["score"] for each in records} == shown(job), wanted


@pytest.mark.parametrize("name", lessons.names())
def test_a_wrong_part_costs_what_the_checks_that_ask_for_it_are_worth_and_the_notebook_has_shown_it(referee, name):
    lesson = lessons.load(name)
    for part, mistake in {each.part: each for each in material(lesson).mistakes()}.items():
        job = with_a_mistake(lesson, mistake)
        records = referee.grade(
            name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
        )
        assert {each["check"]: each["score"] for each in records} == shown(job), mistake.name
        lost = {each["check"] for each in records if each["score"] < each["points"]}
        assert lost <= {each.name for each in checks.for_lesson(name) if part in each.parts}, mistake.name


def test_it_is_said_which_parts_have_stood_in_and_the_check_can_be_run_again(referee):
    name, check, remove = "09_hooks", "post_accumulate", "minigrad.autograd.hooks.RemovableHandle.remove"
    job = submission(lessons.load(name), checks.get(check).parts)
    records = referee.grade(name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"])
    (record,) = [each for each in records if each["check"] == check]
    assert (
        record["score"] == 2 and remove in record["stood_in"] and not {*checks.get(check).parts} & {*record["stood_in"]}
    )
    for page in (pages.as_text(record), pages.as_html(record)):
        assert "remove" in page and "stood in: yours would have lost points here" in page and "由引擎自己的顶上" in page
    edition = learners_edition(checks.get(check).parts)
    again, _ = referee.hear_one(name, "ada", job["cells"], check, record["seed"], edition, alone=True)
    assert again["properties"] == record["properties"] and again["score"] == 2


def test_what_did_not_meet_a_part_whose_cell_failed_is_not_heard_again(referee, monkeypatch):
    """Nothing is plugged in for that part, and it is counted all the same: other checks lost their points by themselves."""
    name = "15_error_clinic"
    job = submission(lessons.load(name), ())
    first = next(cell for cell in job["cells"] if "@implements" in cell["source"])
    (failed,) = definitions(first["source"])
    first["source"] = f"1 / 0\n{first['source']}"
    heard = []
    hear = Referee._hear
    monkeypatch.setattr(Referee, "_hear", lambda self, *given: heard.append(given) or hear(self, *given))
    records = referee.grade(name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"])
    lost = [
        each["check"]
        for each in records
        if each["score"] < each["points"] and failed not in checks.get(each["check"]).parts
    ]
    assert len(lost) >= 5 and len(heard) == 1


def test_a_cell_that_ran_out_of_time_is_not_waited_for_again_unless_a_part_is_in_it_that_is_asked_for(monkeypatch):
    name, mine, endless = "12_function", "softplus_backward", "while True: pass"
    job = submission(lessons.load(name), checks.get(mine).parts)
    (own,) = [cell for cell in job["cells"] if {*definitions(cell["source"])} & {*checks.get(mine).parts}]
    other = next(cell for cell in job["cells"] if "@implements" in cell["source"] and cell is not own)
    own["source"] += f"\n{endless}"  # once all is defined
    other["source"] = f"{endless}\n{other['source']}"
    run = []
    hear = Referee._hear
    monkeypatch.setattr(Referee, "_hear", lambda self, job, *more: run.append(job["cells"]) or hear(self, job, *more))
    with Referee(SECRET, limits=DEFAULT._replace(cell_seconds=0.5)) as referee:
        records = referee.grade(
            name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
        )
    assert len(run) > 1 and own in run[0] and other in run[0]
    assert not any(other in cells for cells in run[1:]) and any(own in cells for cells in run[1:])
    (record,) = [each for each in records if each["check"] == mine]
    assert record["score"] == record["points"]


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
        if record.get("unheard"):
            assert "。暂定分：第二次没评成。" in record["reason"]["zh"]
            assert ". Provisional score: the second run failed." in record["reason"]["en"]
    assert heard_again <= {each for each in first if first[each].get("unheard")}
    entry = Entry(name, "ada", "", "", first)
    assert entry.sandbox_failed and not entry.ungradable and not Entry(name, "ada", "", "", whole).sandbox_failed


def test_where_no_time_is_left_to_hear_it_again_the_first_result_is_final_and_says_so():
    name, check = "09_hooks", "post_accumulate"
    job = submission(lessons.load(name), checks.get(check).parts)
    given = name, "ada", job["cells"], [*job["seeds"]], learners_edition(job["parts"]), job["seeds"]
    with Referee(SECRET, limits=DEFAULT._replace(again_seconds=0.0)) as referee:
        records = {each["check"]: each for each in referee.grade(*given)}
    late = {name: each for name, each in records.items() if "all of the 0 seconds" in str(each["reason"])}
    assert check in late and all("用完" in each["reason"]["zh"] for each in late.values())
    assert all(each["score"] < each["points"] for each in late.values())
    assert not Entry(name, "ada", "", "", records).sandbox_failed
