"""Does the learner's value agree with torch's, and what does that make of a check?

`compare` looks at two encoded values (checks.encode) and names the first thing that differs: kind, shape, dtype,
how many entries, the worst error, the first differing entry and where it is, and the tolerance allowed. `judge`
puts one run of a check beside torch's answers: a state for every property, and the score.

Both are used by both the notebook's check() and the referee, on plain data only. Not here: how values are
come by (checks/, oracle.py), and how results look (show.py).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks import Check, Outcome, Property, score
from autograder.messages import LANGUAGES, Text, followed_by, label_text, text
from autograder.parts import NOT_WRITTEN, YOURS
from autograder.proportion import factor
from autograder.protocol import clip

# Allowed difference by dtype: |got - expected| <= rel * |expected| + abs * the largest |expected| of the array.
# Wide enough for another order of summation, far too narrow for another formula or a difference quotient.
TOLERANCE = {
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-8, 1e-10),
    "number": (1e-5, 0.0),
}


NOT_FINITE = ("nan", "inf", "-inf")  # as checks.encode names these numbers
_MISSING = re.compile(rf"(\w[\w.]*) {YOURS}")
_AN_ERROR = re.compile(r"\w+(Error|Exception|Warning)(: |$)")
NAMED = 3  # parts that are named, where there are many
LEGIBLE = 6  # items of a list that two languages side by side can show whole, twice


@dataclass(frozen=True)
class Finding:
    """One property judged."""

    label: str
    state: str  # "pass", "fail", "skip", or "unreached": it comes after what ended the run
    detail: Text


@dataclass(frozen=True)
class Verdict:
    """One check judged: whole points, the properties, and, where points are missing, why."""

    check: str
    points: int
    score: int
    properties: list[Finding]
    reason: Text | None
    only_known: bool = False  # what passed is the same on all inputs

    @property
    def passed(self) -> bool:
        return self.score == self.points

    @property
    def grade(self) -> tuple[int, int]:
        """By which of two runs of a check is the better: what it scores, and how many of its properties agree."""
        return self.score, sum(each.state == "pass" for each in self.properties)

    def record(self) -> dict[str, Any]:
        """As plain data: the fields of a result record that a verdict knows."""
        return {
            "check": self.check,
            "score": self.score,
            "points": self.points,
            "properties": [
                {"label": f.label, "state": f.state, "detail_zh": f.detail.zh, "detail_en": f.detail.en}
                for f in self.properties
            ],
            "reason": self.reason and {"zh": self.reason.zh, "en": self.reason.en},
        }


# ── One value ────────────────────────────────────────────────────────────────────────────────────


def compare(expected: Any, got: Any) -> Text | None:
    """What differs between two encoded values, in words; None if they agree."""
    if _is_array(expected) and _is_array(got):
        return _compare_arrays(expected, got)
    if isinstance(expected, list) and isinstance(got, list):
        return _compare_lists(expected, got)
    if _is_number(expected) and _is_number(got) and type(expected) is type(got):
        rel, _ = TOLERANCE["number"]
        close = math.isclose(expected, got, rel_tol=rel) if isinstance(expected, float) else expected == got
        return None if close else text("differs", **_apart(expected, got))
    if type(expected) is type(got) and expected == got and not _broken(expected):
        return None
    if isinstance(got, dict) and "error" in got:
        return text("raised", error=got["error"])
    if got is None and _is_an_error(expected):
        return text("not_raised", error=expected)
    if _is_an_error(got) and not _is_an_error(expected):
        return text("raised", error=got)
    return text("differs", expected=describe(expected), got=describe(got))


def _compare_lists(expected: list[Any], got: list[Any]) -> Text | None:
    for place, (a, b) in enumerate(zip(expected, got, strict=False)):
        if found := compare(a, b):
            if _brief(a) and _brief(b):  # read more easily as a whole than by position
                found = text("differs", expected=describe(a), got=describe(b))
            if len(expected) == len(got):
                return text("item_differs", place=place, found=found)
            if max(len(expected), len(got)) > LEGIBLE:
                return text("lengths_differ", expected=len(expected), got=len(got), place=place, found=found)
    if len(expected) == len(got):
        return None
    return text("differs", expected=describe(expected), got=describe(got))


def _brief(value: Any) -> bool:
    """A name with its number, say: a list of a few plain values."""
    return isinstance(value, list) and len(value) <= 4 and not any(isinstance(each, dict | list) for each in value)


def _compare_arrays(expected: dict[str, Any], got: dict[str, Any]) -> Text | None:
    if expected["shape"] != got["shape"]:
        return text("shape_differs", expected=_shape(expected), got=_shape(got))
    if expected["dtype"] != got["dtype"]:
        return text("dtype_differs", expected=expected["dtype"], got=got["dtype"])
    a, b = (np.array([float(each) for each in side["data"]]).reshape(side["shape"]) for side in (expected, got))
    allowed = _allowed(a, expected["dtype"])
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        wrong = ~(error <= allowed)
    if not wrong.any():
        return None
    first = tuple(int(each) for each in np.argwhere(wrong)[0])
    found: dict[str, Any] = {
        "wrong": int(wrong.sum()),
        "total": a.size,
        "where": list(first) or "[]",
        **_apart(a[first], b[first]),
    }
    times = factor(a, b, allowed)
    if times is not None and (shown := _short(times)) != "1":  # by less it is not a multiple that tells them apart
        return text("entries_times", **found, times=shown)
    return text(
        "entries_differ" if a.size > 1 else "the_entry_differs",
        **found,
        worst=f"{np.max(error[wrong]):.3g}",
        allowed=f"{allowed[first]:.3g}",
    )


def _allowed(expected: np.ndarray, dtype: str) -> np.ndarray:
    if dtype not in TOLERANCE:
        return np.zeros_like(expected)
    rel, part = TOLERANCE[dtype]
    finite = np.abs(expected[np.isfinite(expected)])
    size = np.nan_to_num(np.abs(expected), nan=0.0, posinf=0.0)
    return rel * size + part * (finite.max() if finite.size else 0.0)


def describe(value: Any) -> Text | str:
    """An encoded value in a few words."""
    if _is_array(value):
        entries = [_short(each) for each in value["data"][:4]] + ["…"] * (len(value["data"]) > 4)
        return text("a_tensor", shape=_shape(value), dtype=value["dtype"], entries=", ".join(entries))
    if isinstance(value, list) and value and _entries(value):
        return text("a_list", length=len(value), first=describe(value[0]))
    if isinstance(value, list):
        items = [describe(each) for each in value[:12]] + ["…"] * (len(value) > 12)
        pairs = [each if isinstance(each, Text) else Text(each, each) for each in items]
        return Text(*(clip(f"[{', '.join(getattr(each, language) for each in pairs)}]") for language in LANGUAGES))
    if isinstance(value, dict):
        return text("an_error", error=value["error"]) if "error" in value else str(value.get("unencodable", "?"))
    if value in NOT_FINITE:
        return str(value)
    return f'"{value}"' if isinstance(value, str) else _short(value) if _is_number(value) else str(value)


def _shape(array: dict[str, Any]) -> str:
    return str(tuple(array["shape"]))


def _short(number: Any) -> str:
    return f"{number:.6g}" if isinstance(number, float | np.floating) else str(number)


def _apart(expected: Any, got: Any) -> dict[str, str]:
    """Two different numbers, in as few digits as show the difference."""
    pairs = ([f"{each:.{digits}g}" for each in (expected, got)] for digits in (6, 9, 12))
    if isinstance(expected, int) or isinstance(got, int):
        return {"expected": str(expected), "got": str(got)}
    a, b = next((pair for pair in pairs if pair[0] != pair[1]), [str(expected), str(got)])
    return {"expected": a, "got": b}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_array(value: Any) -> bool:
    return isinstance(value, dict) and "shape" in value


def _is_an_error(value: Any) -> bool:
    """Whether a value says what was raised (checks.raises)."""
    return isinstance(value, str) and bool(_AN_ERROR.match(value))


def _broken(value: Any) -> bool:
    """Errors and things that have no encoding agree with nothing, not even with their like."""
    return isinstance(value, dict)


# ── A whole check ────────────────────────────────────────────────────────────────────────────────


def judge(check: Check, expected: list[Property], outcome: Outcome) -> Verdict:
    """Put one run of `check` beside torch's answers (`expected`, from oracle.expected with the same seed).

    The labels are the oracle's: what the run did not reach fails, and what it made up does not count. No points
    where a part was never called, or where none is written. One that is not written, beside others that are, costs
    what a wrong one would: the properties that need it. What is the same on all inputs can be known without any part: it
    counts only beside something that is drawn.
    """
    got = {each.label: each.value for each in reversed(outcome.values)}
    findings: dict[str, Finding] = {}
    for label, value, needs, _ in expected:
        findings[label] = _find(label, value, needs, got, findings, outcome)
    known = not any(each.drawn and findings[each.label].state == "pass" for each in expected)
    passed = sum(each.state == "pass" for each in findings.values())
    unused = [name for name in check.parts if not outcome.calls.get(name) and name not in outcome.unwritten]
    stubs = outcome.unwritten or (check.parts if unwritten(outcome) else ())
    points = 0 if unused or set(stubs) >= set(check.parts) else score(check.points, passed, len(findings))
    points = max(0, min(points, check.points - 1)) if stubs else points
    reason = None if points == check.points else _reason(check, outcome, unused, list(findings.values()))
    if only_known := known and points > 0:
        points, known_only = 0, text("same_for_all")
        reason = followed_by(reason, known_only) if reason else known_only
    return Verdict(check.name, check.points, points, list(findings.values()), reason, only_known)


def _find(
    label: str,
    value: Any,
    needs: str | None,
    got: dict[str, Any],
    found: dict[str, Finding],
    outcome: Outcome,
) -> Finding:
    if needs and found[needs].state != "pass":
        return Finding(label, "skip", text("skipped", needs=label_text(needs)))
    if label not in got:
        first = all(each.label in got or each.state == "skip" for each in found.values())
        if outcome.error and first:
            return Finding(label, "fail", _ended(outcome))
        return Finding(label, "unreached" if outcome.error else "fail", text("not_reached"))
    mismatch = compare(value, got[label])
    return Finding(label, "fail", mismatch) if mismatch else Finding(label, "pass", agrees(value))


def agrees(value: Any) -> Text:
    """What was found equal, in words."""
    if total := _entries(value):
        return text("entries_agree", total=total)
    return text("as_torch", value=describe(value))


def _entries(value: Any) -> int:
    """How many numbers an array, or a list of arrays, holds; 0 for anything else."""
    if isinstance(value, list) and all(_is_array(each) for each in value):
        return sum(len(each["data"]) for each in value)
    return len(value["data"]) if _is_array(value) else 0


def unwritten(outcome: Outcome) -> bool:
    """Whether a run met a part that is not written yet."""
    return bool(outcome.unwritten) or bool(outcome.error and outcome.error["class"] == NOT_WRITTEN)


def _ended(outcome: Outcome) -> Text:
    """What kept a run from its end."""
    error = outcome.error or {}
    ended: Text | None = error.get("ended")  # the referee knows better words for some (testimony.py)
    said = f"{error.get('class')}: {error.get('message')}".removesuffix(": ")
    return ended or text("raised", error="NotImplementedError" if unwritten(outcome) else said)


def none_written(stubs: list[str]) -> Text:
    """That these parts, one or several, are not written yet."""
    return text("parts_not_written" if len(stubs) > 1 else "part_not_written", part=named(stubs))


def named(parts: list[str]) -> Text:
    """The short names of parts; of many the first, and how many more there are."""
    names = [each.rpartition(".")[2] for each in parts]
    if len(names) > NAMED + 1:
        return text("and_more", names=", ".join(names[:NAMED]), more=len(names) - NAMED)
    return Text(*[", ".join(names)] * 2)


def _reason(check: Check, outcome: Outcome, unused: list[str], findings: list[Finding]) -> Text:
    if missing := [name for name in outcome.unwritten if not outcome.calls.get(name)]:  # not even plugged in
        return text("not_there", parts=", ".join(missing))
    if unwritten(outcome):
        stubs = outcome.unwritten if len(outcome.unwritten) < len(check.parts) else []
        stubs = stubs if outcome.unwritten else _anothers(outcome)
        return none_written(stubs) if stubs else text("not_written")
    failed = next((each for each in findings if each.state == "fail"), None)
    if failed and (outcome.error or not unused):
        return text("reason", label=label_text(failed.label), detail=failed.detail)
    return text("never_called", parts=", ".join(unused))


def _anothers(outcome: Outcome) -> list[str]:
    """The part of another check that was met and is not written, as the learner's edition of the engine names it."""
    named = _MISSING.match(str((outcome.error or {}).get("message")))
    return [named[1]] if named else []
