"""What a sandbox says is taken with suspicion: any JSON at all becomes outcomes that the comparison can judge."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import compare, testimony
from autograder.checks import Check, Property
from autograder.errors import SandboxFailed, UnknownName
from autograder.runner import supervisor
from autograder.runner.limits import DEFAULT
from autograder.testimony import hear, printable, value

PART = "minigrad.ops.pointwise.relu_vjp"
CHECK = Check("one", "test", 2, (PART,), lambda T, rng: iter(()))
DONE = {"type": "check_done", "check": "one", "calls": {PART: 1}, "unwritten": [], "error": None}

NUMBERS = st.integers(-(2**64) + 1, 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
WORDS = st.sampled_from(["nan", "inf", "-inf", "x", "", "float64", "\x1b[2J", "\u202e"])
ARRAYS = st.fixed_dictionaries(
    {
        "shape": st.lists(st.integers(-1, 4), max_size=3),
        "dtype": WORDS,
        "data": st.lists(NUMBERS | WORDS, max_size=6),
    }
)
ANYTHING = st.recursive(
    st.none() | NUMBERS | WORDS | ARRAYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["error", "shape", "data"]), inner),
    max_leaves=10,
)
EXPECTED = [
    1.5,
    3,
    True,
    None,
    "SubBackward0",
    [1.0, "a", [True]],
    {"shape": [2, 2], "dtype": "float64", "data": [1.0, -2.0, "nan", 1e308]},
    {"shape": [0], "dtype": "float32", "data": []},
    {"shape": [], "dtype": "int64", "data": [7]},
    {"shape": [2], "dtype": "bool", "data": [True, False]},
]


def outcome(*frames):
    return hear(frames, [CHECK], DEFAULT).outcomes["one"]


def said(label, given):
    return {"type": "property", "check": "one", "label": label, "value": given}


@given(st.sampled_from(EXPECTED), ANYTHING)
def test_any_value_can_be_judged(expected, given_value):
    verdict = compare.judge(CHECK, [Property("x", expected)], outcome(said("x", given_value), DONE))
    assert verdict.score in (0, 2)
    assert all(c.isprintable() or c in "\n\t" for c in str(verdict.reason or ""))


@pytest.mark.parametrize(("one", "other"), list(itertools.product(EXPECTED, EXPECTED)))
def test_only_the_same_value_passes(one, other):
    verdict = compare.judge(CHECK, [Property("x", one)], outcome(said("x", other), DONE))
    assert verdict.score == (2 if one is other else 0)


@given(st.sampled_from(EXPECTED))
def test_what_is_well_formed_is_left_alone(encoded):
    assert value(encoded) == encoded


@pytest.mark.parametrize(
    "forged",
    [
        {"shape": [2], "dtype": "float64", "data": [1.0]},
        {"shape": [-1, -1], "dtype": "float64", "data": [1.0]},
        {"shape": [True], "dtype": "float64", "data": [1.0]},
        {"shape": [1] * 40, "dtype": "float64", "data": [1.0]},
        {"shape": [10**18, 0], "dtype": "float64", "data": [1.0]},
        {"shape": [1], "dtype": "float64", "data": ["1.0"]},
        {"shape": [1], "dtype": "float64", "data": [[1.0]]},
        {"shape": [1], "dtype": "float64", "data": [1.0], "more": 1},
        {"shape": [1], "dtype": "<script>", "data": [1.0]},
        {"shape": [1], "dtype": ["float64"], "data": [1.0]},
        {"error": "x", "unencodable": "y"},
        {"zh": "对", "en": "right"},
        {},
    ],
    ids=str,
)
def test_what_is_malformed_agrees_with_nothing(forged):
    assert value(forged) == {"unencodable": "malformed"}
    assert compare.compare(forged, value(forged)) is not None


@given(
    st.lists(st.dictionaries(st.sampled_from(["type", "check", "label", "value", "calls", "error", "id"]), ANYTHING))
)
def test_any_frames_can_be_heard(frames):
    found = outcome(*frames, {"type": "cell", "id": "c", "error": None}, DONE)
    assert found.error is None and found.calls == {PART: 1}


def test_the_first_word_counts():
    """A label said twice, a check said to be over twice, and what comes after that."""
    again = DONE | {"calls": {PART: 99}, "unwritten": [PART]}
    found = outcome(said("x", 1), said("x", 2), DONE, again, said("y", 3))
    verdict = compare.judge(CHECK, [Property("x", 1)], found)
    assert (verdict.score, found.calls, found.unwritten, len(found.values)) == (2, {PART: 1}, [], 2)


def test_labels_and_checks_that_nobody_asked_for_do_not_count():
    other = {"type": "property", "check": "two", "label": "x", "value": 1}
    found = outcome(said("made up", 1), other, other | {"check": ["one"]}, DONE | {"check": "two"}, DONE)
    verdict = compare.judge(CHECK, [Property("x", 1)], found)
    assert verdict.score == 0 and [each.label for each in verdict.properties] == ["x"]


@pytest.mark.parametrize("calls", [None, 3, {}, {PART: -1}, {PART: "9"}, {PART: 0}, {"other": 9}, [PART]])
def test_a_count_that_is_none_is_nought(calls):
    verdict = compare.judge(CHECK, [Property("x", 1)], outcome(said("x", 1), DONE | {"calls": calls}))
    assert verdict.score == 0


def test_a_check_that_is_never_said_to_be_over_cannot_be_graded():
    with pytest.raises(SandboxFailed, match="one"):
        outcome(said("x", 1))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"class": "TimeLimit", "message": "", "line": 3, "cell": "a"}, "4 seconds"),
        ({"class": "ValueError", "message": "x", "line": 3, "cell": "a"}, "ValueError: x (cell a, line 3)"),
        ({"class": "ValueError", "message": "{kind}", "line": "3", "cell": ["a"]}, "ValueError: {kind}"),
        ({"class": "\x1b[31m", "message": "\r\u202ex"}, "\ufffd[31m: \ufffd\ufffdx"),
        ({}, "?: "),
    ],
)
def test_an_error_is_told_in_words(error, words):
    says = outcome(DONE | {"error": error}).error["says"]
    assert words in says.en
    assert says.zh


def test_what_our_own_errors_say_in_both_languages_is_said_once_in_each():
    says = outcome(
        DONE | {"error": {"class": "UnknownName", "message": str(UnknownName("hint_which", "rleu", ["relu"]))}}
    ).error["says"]
    assert says.zh.count("relu") == says.en.count("relu") == 1
    assert re.search("[\u4e00-\u9fff]", says.zh) and not re.search("[\u4e00-\u9fff]", says.en)


@pytest.mark.parametrize(
    ("kind", "zh", "en"),
    [
        ("TimeLimit", "：运行超过 4 秒", ": It took more than 4 seconds"),
        ("MemoryError", "：要用的内存", ": It asked for more than"),
        ("RecursionError", "：函数无限递归", ": A function calls itself without end"),
        ("ModuleNotFoundError", "：m。评分时", ": m. During grading"),
        ("ValueError", "：报错 ValueError: m", ": it raised ValueError: m"),
    ],
)
def test_a_reason_is_one_sentence_and_not_two_glued_together(kind, zh, en):
    heard = outcome(DONE | {"error": {"class": kind, "message": "m"}})
    reason = compare.judge(CHECK, [Property("x", 1)], heard).reason
    assert reason.zh.startswith(f"x{zh}") and reason.en.startswith(f"x{en}")


@given(st.text())
def test_plain_text_steers_nothing(words):
    assert all(c.isprintable() or c in "\n\t" for c in printable(words))


def test_however_a_process_ends_it_is_said_in_both_languages():
    source = Path(supervisor.__file__).read_text(encoding="utf-8")
    ends = set(re.findall(r'"(it [a-z ]+)"', source)) - {"it could not be interrupted"}
    assert ends == set(testimony.CRASHES)
    for end in (*ends, "it was ended by SIGKILL"):
        said = testimony.words({"class": "Crash", "message": end}, DEFAULT)
        assert end in said.en and "it " not in said.zh
    assert "SIGKILL" in said.zh
