"""Comparing encoded values, and judging a whole check."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import minigrad
from autograder import checks
from autograder.checks import Check, Outcome, Property, encode
from autograder.compare import compare, judge, none_written


def values(*entries, dtype="float64"):
    return encode(np.array(entries, dtype))


@pytest.mark.parametrize(
    "value",
    [True, False, None, 0, -3, 2.5, "a name", [], [1, [2.0, "x"]], math.nan, math.inf, -math.inf]
    + [
        np.float32(1.5),
        np.arange(6).reshape(2, 3),
        np.zeros((0, 3)),
        np.array([np.nan, np.inf, -np.inf, 1.0]),
    ]
    + [torch.ones(2, requires_grad=True), minigrad.tensor([[1.0]], requires_grad=True), (1, 2)],
)
def test_a_value_agrees_with_itself_also_by_way_of_json(value):
    import json

    encoded = encode(value)
    assert compare(encoded, json.loads(json.dumps(encoded, allow_nan=False))) is None


def test_a_multiple_that_reads_as_1_is_not_spoken_of():
    right = np.array([0.1, 0.25, 0.7])
    assert "exactly 2 times" in compare(values(*right), values(*(2 * right))).en
    assert "times what" not in compare(values(*right), values(*(right * (1 + 1e-6)))).en


def test_torch_and_minigrad_encode_alike():
    for dtype in ("float32", "float64", "int64", "bool"):
        array = np.array([[0, 1], [1, 0]], dtype)
        assert encode(torch.tensor(array)) == encode(minigrad.tensor(array)) == encode(array)


@pytest.mark.parametrize(
    "value, form",
    [
        (object(), {"unencodable": "object"}),
        (np.array(["a"]), {"unencodable": "ndarray"}),
        (1j, {"unencodable": "complex"}),
        (10**30, {"unencodable": "int"}),
        ({"a": 1}, {"unencodable": "dict"}),
        (np.zeros(200_000), {"unencodable": "ndarray (200000,)"}),
        (lambda: 1 / 0, {"error": "ZeroDivisionError: division by zero"}),
        (lambda: [1, lambda: 2], [1, 2]),
        ("x" * 5000, "x" * 2000),
    ],
)
def test_what_has_no_encoding_is_named(value, form):
    assert encode(value) == form


def test_a_list_without_end_is_cut_short():
    deep = []
    deep.append(deep)
    assert "too deep" in str(encode(deep))


@pytest.mark.parametrize(
    "expected, got, says",
    [
        (values(1.0, 2.0), values(1.0, 2.0, 3.0), "expected shape (2,), got (3,)"),
        (values(1.0), values(1.0, dtype="float32"), "expected dtype float64, got float32"),
        (
            values(1.0, 2.0, 3.0),
            values(1.0, 2.5, 4.0),
            "2 of 3 entries differ; first at [1]: expected 2, got 2.5; worst error 1",
        ),
        (encode(np.eye(2)), encode(np.ones((2, 2))), "first at [0, 1]: expected 0, got 1"),
        (values(1.0), values(np.nan), "expected 1, got nan"),
        (values(np.inf), values(-np.inf), "expected inf, got -inf"),
        (values(np.nan), values(0.0), "expected nan, got 0"),
        (encode(np.float64(3.0)), encode(np.float64(4.0)), "expected 3, got 4; error 1 (allowed"),
        (values(1, 2, dtype="int64"), values(1, 3, dtype="int64"), "(allowed 0)"),
        (values(1.0), None, "expected a float64 tensor of shape (1,) [1], got None"),
        (True, False, "expected True, got False"),
        (True, 1, "expected True, got 1"),
        (1, 1.0, "expected 1, got 1"),
        (0.5, "nan", "expected 0.5, got nan"),
        ("RuntimeError: a", None, "should have raised RuntimeError: a, but raised nothing"),
        ("RuntimeError: a", "RuntimeError: b", 'expected "RuntimeError: a", got "RuntimeError: b"'),
        ("RuntimeError: a", False, 'expected "RuntimeError: a", got False'),
        (None, "RuntimeError: a", "it raised RuntimeError: a"),
        ("a word", "KeyError: 'a'", "it raised KeyError: 'a'"),
        ([1, 2], [1, 3], "item 1 (counting from 0): expected 2, got 3"),
        ([["A", 0]], [["A", "missing"]], 'item 0 (counting from 0): expected ["A", 0], got ["A", "missing"]'),
        ([1, 2], [1], "expected [1, 2], got [1]"),
        (
            [["A", 0]] * 8,
            [["A", 0]] * 5 + [["B", 0]] * 2,
            'expected 8 items, got 7; item 5 (counting from 0): expected ["A", 0], got ["B", 0]',
        ),
        (0.1 + 0.2, 0.4, "expected 0.3, got 0.4"),
        (values(1.0), values(1.0 + 1e-7), "expected 1, got 1.0000001"),
        (2, {"error": "ValueError: no"}, "it raised ValueError: no"),
        (2, {"unencodable": "Widget"}, "expected 2, got Widget"),
    ],
)
def test_a_mismatch_says_what_where_and_how_much(expected, got, says):
    found = compare(expected, got)
    assert says in found.en
    assert any(word in found.zh for word in ("应为", "不同", "报错"))


@pytest.mark.parametrize("broken", [{"error": "ValueError: a"}, {"unencodable": "Widget"}])
def test_errors_and_nameless_things_agree_with_nothing(broken):
    assert compare(broken, broken) is not None


@pytest.mark.parametrize(
    "dtype, off, agrees",
    [
        ("float32", 1e-5, True),
        ("float32", 1e-3, False),  # what a difference quotient in float32 is off by
        ("float64", 1e-12, True),
        ("float64", 1e-6, False),
        ("float16", 1e-3, True),
    ],
)
def test_the_tolerance_goes_with_the_dtype(dtype, off, agrees):
    assert (compare(values(1.0, dtype=dtype), values(1.0 + off, dtype=dtype)) is None) == agrees


def test_an_entry_near_zero_is_held_against_the_largest():
    assert compare(values(1e3, 0.0), values(1e3, 1e-9)) is None
    assert compare(values(1e3, 0.0), values(1e3, 1e-5)) is not None


# ── Judging ──────────────────────────────────────────────────────────────────────────────────────

CHECK = Check("a_check", "00_lesson", 3, ("part",), lambda T, rng: iter(()))
EXPECTED = [Property("one", 1), Property("two", 2), Property("three", 3, "two"), Property("four", 4)]


def judged(*found, calls=1, error=None, unwritten=(), check=CHECK):
    outcome = Outcome([Property(*each) for each in found], dict.fromkeys(check.parts, calls), error, list(unwritten))
    return judge(check, EXPECTED, outcome)


def states(verdict):
    return [each.state for each in verdict.properties]


def test_all_that_agrees_earns_all():
    verdict = judged(("one", 1), ("two", 2), ("three", 3), ("four", 4))
    assert verdict.passed and verdict.score == 3 and verdict.reason is None


def test_a_property_that_needs_a_failed_one_is_skipped():
    verdict = judged(("one", 1), ("two", 0), ("three", 3), ("four", 4))
    assert states(verdict) == ["pass", "fail", "skip", "pass"]
    assert verdict.score == 2
    assert verdict.properties[2].detail.en == 'skipped: needs "two"'
    assert verdict.reason.en == "two: expected 2, got 0"


def test_what_is_not_reached_earns_nothing_and_what_ended_the_run_says_why():
    error = {"class": "ValueError", "message": "no"}
    verdict = judged(("one", 1), error=error)
    assert states(verdict) == ["pass", "fail", "skip", "unreached"] and verdict.score == 1
    assert "ValueError: no" in verdict.properties[1].detail.en
    assert "not reached" in verdict.properties[3].detail.en


def test_labels_of_its_own_invention_do_not_count():
    verdict = judged(("one", 1), ("a fifth", 5), ("two", 2), ("three", 3))
    assert states(verdict) == ["pass", "pass", "pass", "fail"]


def test_a_label_told_twice_counts_as_first_told():
    assert states(judged(("one", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4)))[0] == "fail"


def test_what_is_the_same_on_all_inputs_counts_only_beside_something_drawn():
    expected = [Property("name", "MulBackward0", drawn=False), Property("x", 1.5), Property("y", 2.5)]
    known, more = (Outcome([Property("name", "MulBackward0"), Property("x", x)], {"part": 1}) for x in (0.5, 1.5))
    verdict = judge(CHECK, expected, known)
    assert (verdict.score, verdict.only_known) == (
        0,
        True,
    ) and ". What is right so far would be the same for any input" in verdict.reason.en
    assert (judge(CHECK, expected, more).score, judge(CHECK, expected, more).only_known) == (2, False)


def test_no_points_for_a_part_that_was_never_called():
    verdict = judged(("one", 1), ("two", 2), ("three", 3), ("four", 4), calls=0)
    assert verdict.score == 0 and not verdict.passed
    assert "never used" in verdict.reason.en


@pytest.mark.parametrize("told", [{"unwritten": ["part"]}, {"error": {"class": "NotWritten", "message": ""}}])
def test_no_points_for_a_part_not_written(told):
    verdict = judged(("one", 1), ("two", 2), ("three", 3), ("four", 4), **told)
    assert verdict.score == 0 and "Not written yet" in verdict.reason.en


def test_a_part_of_another_check_that_is_not_written_is_named():
    error = {
        "class": "NotWritten",
        "message": "minigrad.ops.pointwise.mul_vjp_self is yours to write · 这一部分由你来写",
    }
    verdict = judged(("one", 1), ("two", 2), error=error)
    assert verdict.reason.en == "The part mul_vjp_self is not written yet."


def test_a_part_not_written_costs_what_a_wrong_one_would_where_another_is_written():
    pair = replace(CHECK, parts=("part", "other"))
    found = [("one", 1), ("two", 2), ("three", 3), ("four", 0)]
    verdict = judged(*found, check=pair, unwritten=["other"])
    assert verdict.score == judged(*found, check=pair).score == 2
    assert verdict.reason.en == "The part other is not written yet."
    assert judged(*found, check=pair, unwritten=["part", "other"]).score == 0
    three = judged(*found, check=replace(CHECK, parts=("part", "other", "third")), unwritten=["other", "third"])
    assert three.reason.en == "These parts are not written yet: other, third."
    four, five = (none_written([f"minigrad.p{n}" for n in range(many)]) for many in (4, 5))
    assert four.en.endswith("yet: p0, p1, p2, p3.") and five.en.endswith("yet: p0, p1, p2, and 2 more.")
    assert judged(*found, check=pair, unwritten=["other"], calls=0).score == 0
    assert "Your other was not found" in judged(*found, check=pair, unwritten=["other"], calls=0).reason.en
    assert judged(*found[:3], ("four", 4), check=pair, unwritten=["other"]).score == 2  # never all
    assert judged(*found, check=replace(pair, points=0), unwritten=["other"]).score == 0  # a check that was dropped


def test_a_record_holds_plain_data():
    import json

    record = judged(("one", 1), ("two", 0)).record()
    assert json.loads(json.dumps(record)) == record
    assert set(record["properties"][0]) == {"label", "state", "detail_zh", "detail_en"}


@pytest.mark.parametrize(
    "points, passed, total, whole",
    [
        (3, 4, 4, 3),
        (3, 0, 4, 0),
        (2, 1, 4, 1),
        (2, 1, 5, 0),
        (3, 3, 6, 2),
        (2, 9, 10, 1),
        (1, 9, 10, 0),
        (1, 1, 1, 1),
    ]
    + [(2, 0, 0, 0), (3, 1, 2, 2), (0, 0, 3, 0), (0, 1, 3, 0), (0, 3, 3, 0)],
)
def test_scores_are_whole_half_up_and_never_full_unless_all_passes(points, passed, total, whole):
    assert checks.score(points, passed, total) == whole
