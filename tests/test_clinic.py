"""Lesson 15's patients: each comes in as a program that is a known mistake, and leaves as the engine's own."""

import ast
import warnings

import pytest

import minigrad
from autograder import checks, lessons, mistakes, oracle, parts
from autograder.compare import judge
from autograder.lessons import kind
from autograder.solutions import as_given, bare, definitions

LESSON = "15_error_clinic"


def given():
    """part -> the program that the lesson gives to be repaired."""
    cells = [cell for cell in lessons.load(LESSON).notebook.cells if kind(cell) == "solution"]
    return {part: node for cell in cells for part, node in definitions(as_given(cell.source, "")).items()}


def source(written):
    """A known mistake, bare, under another name."""
    import inspect

    node = ast.parse(inspect.getsource(written)).body[0]
    node.name = "program"
    return bare(node)


@pytest.mark.parametrize("part", given())
def test_the_program_given_is_a_known_mistake(part):
    node = given()[part]
    node.name = "program"
    known = {each.name.rpartition(":")[2]: source(each.written) for each in mistakes.of_part(part)}
    name = part.rpartition(".")[2] + "_as_it_came"
    assert bare(node) == known[name]


@pytest.mark.parametrize("check", checks.for_lesson(LESSON), ids=lambda check: check.name)
def test_as_it_came_it_earns_nothing(check):
    (part,) = check.parts
    (as_it_came,) = [each for each in mistakes.of_part(part) if each.name.endswith("_as_it_came")]
    with parts.plugged_in({part: as_it_came.written}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judge(check, oracle.expected(check.name, 3), checks.attempt(check, minigrad, 3))
    assert verdict.score == 0 and not verdict.passed


def test_torch_runs_the_programs_from_their_file_whatever_is_plugged_in():
    X = oracle.T.tensor([1.0, 2.0])
    with parts.plugged_in({"minigrad.clinic.fit_slope": lambda X, Y, steps, lr: "mine"}):
        assert minigrad.clinic.fit_slope(1, 2, 3, 4) == "mine"
        assert oracle.T.clinic.fit_slope(X, 2 * X, 1, 0.1).tolist() == [1.0]
