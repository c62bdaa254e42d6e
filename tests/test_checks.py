"""The lessons' checks: full marks for what is right, however it is written; none for what is missing."""

import inspect
import signal

import numpy as np
import pytest
from alternatives import ALTERNATIVES

import minigrad
from autograder import checks, hints, oracle, parts
from autograder.checks import Check, Outcome, encode
from autograder.compare import judge
from autograder.errors import UnknownName

CHECKS = list(checks.REGISTRY.values())
LESSONS = sorted({check.lesson for check in CHECKS})
USED = sorted({part for check in CHECKS for part in check.parts})
BY_NAME = {"ids": lambda each: getattr(each, "name", None)}


def scored(check, written, seed):
    """The verdict on `written`, with the engine's own for the check's other parts."""
    with parts.plugged_in({**{part: parts.original(part) for part in check.parts}, **written}):
        return judge(check, oracle.expected(check.name, seed), checks.attempt(check, minigrad, seed))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_the_engine_earns_full_marks_on_any_inputs(check, pytestconfig):
    first = pytestconfig.getoption("--seed")
    for seed in range(first, first + pytestconfig.getoption("--draws")):
        verdict = scored(check, {}, seed)
        assert verdict.passed, (seed, verdict.reason)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_torch_answers_alike_every_time_and_differently_for_other_seeds(check):
    once, again, other = ([encode_all(check, seed)] for seed in (1, 1, 2))
    assert once == again
    assert once != other
    assert {each.label for each in oracle.expected(check.name, 1) if each.drawn}


def encode_all(check, seed):
    return [each.value for each in checks.properties(check, oracle.T, seed)]


@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_who_knows_all_answers_to_other_inputs_earns_nothing(check):
    """Names, orders and refusals are the same on all inputs: whoever has them by heart needs no part."""
    by_heart = Outcome(oracle.expected(check.name, 21), dict.fromkeys(check.parts, 1))
    verdict = judge(check, oracle.expected(check.name, 22), by_heart)
    assert verdict.score == 0, [each.label for each in verdict.properties if each.state == "pass"]


@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_nothing_plugged_in_earns_nothing(check):
    verdict = judge(check, oracle.expected(check.name, 1), checks.attempt(check, minigrad, 1))
    assert verdict.score == 0 and "never used" in verdict.reason.en


def not_written(*args, **kwargs):
    raise NotImplementedError


@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_parts_not_written_earn_nothing(check):
    verdict = scored(check, {part: stub(part) for part in check.parts}, seed=1)
    assert verdict.score == 0 and "not written yet" in verdict.reason.en.lower()
    for part in check.parts:
        verdict = scored(check, {part: stub(part)}, seed=1)
        assert verdict.score < check.points and "not written yet" in verdict.reason.en.lower(), part


def zeros_like(value):
    if isinstance(value, minigrad.Tensor | np.ndarray):
        return value * 0
    return type(value)(0 for _ in value) if isinstance(value, tuple | list) else 0


NOTHING = {
    "None": lambda *args, **kwargs: None,
    "0": lambda *args, **kwargs: 0,
    "True": lambda *args, **kwargs: True,
    "its first argument": lambda *args, **kwargs: args[0],
    "its last argument": lambda *args, **kwargs: args[-1],
    "zeros": lambda *args, **kwargs: zeros_like(args[0]),
}


@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_parts_that_do_nothing_earn_nothing(check):
    """Nor may they, for having left everything as it was; and one of several costs points."""
    functions = [part for part in check.parts if not isinstance(parts.original(part), type)]
    for what, nothing in NOTHING.items():
        verdict = scored(check, dict.fromkeys(functions, nothing), 3)
        passed = [each.label for each in verdict.properties if each.state == "pass"]
        assert not functions or verdict.score == 0, (what, passed)
    for part in functions:
        assert scored(check, {part: NOTHING["its first argument"]}, 3).score < check.points, part


class Nothing:
    """In place of a class: a context or a decorator that changes nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *caught):
        pass

    def __call__(self, function):
        return function


# A rule of shapes is right or wrong whatever the numbers: of its check, what is drawn at random is one property of many.
HALF = {"broadcast_rule": 1}


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, **BY_NAME)
def test_who_knows_what_is_the_same_on_all_inputs_needs_right_parts_all_the_same(check):
    """torch's answers where they never change, sent from a patched runner, beside what parts that do nothing come to."""
    own = {part: parts.original(part) for part in check.parts}
    expected = oracle.expected(check.name, 3)
    forged = {each.label: each for each in expected if not each.drawn}
    for what, nothing in NOTHING.items():
        written = {part: Nothing if isinstance(one, type) else nothing for part, one in own.items()}
        with parts.plugged_in(written):
            outcome = checks.attempt(check, minigrad, 3)
        values = [each for each in outcome.values if each.label not in forged] + list(forged.values())
        verdict = judge(check, expected, Outcome(values, dict.fromkeys(check.parts, 1)))
        passed = [each.label for each in verdict.properties if each.state == "pass" and each.label not in forged]
        assert verdict.score <= HALF.get(check.name, 0), (what, passed)


HALVES = [each for each in CHECKS if each.name in {
    "mul_backward", "div_backward", "exp_log_backward", "matmul_backward", "sin_cos_slope",
}]  # fmt: skip


@pytest.mark.parametrize("check", HALVES, **BY_NAME)
def test_a_right_part_gets_its_due_beside_one_that_is_not_written(check):
    """The checks of two parts of which one, or both, have no check of their own."""
    for part in check.parts:
        verdict = scored(check, {part: stub(part)}, seed=1)
        assert verdict.score == 1 and part.rpartition(".")[2] in verdict.reason.en
        assert {each.detail.en for each in verdict.properties if "Not" in each.detail.en} <= {
            "it raised NotImplementedError", "the error NotImplementedError",
        }  # fmt: skip


def stub(part):
    """What the release holds: the engine's own signature, and no body."""
    own = parts.original(part)
    if isinstance(own, type):
        return type(own.__name__, (), {"__enter__": not_written, "__exit__": not_written, "__call__": not_written})
    head = inspect.Signature(
        [each.replace(annotation=each.empty) for each in inspect.signature(own).parameters.values()]
    )
    made: dict = {}
    exec(f"def stub{head}:\n    raise NotImplementedError", made)
    return made["stub"]


@pytest.mark.slow
@pytest.mark.parametrize("part", USED)
def test_other_right_solutions_earn_full_marks(part):
    assert len(ALTERNATIVES[part]) >= 2
    for written in ALTERNATIVES[part]:
        for check in CHECKS:
            if part in check.parts:
                for seed in (1, 2):
                    verdict = scored(check, {part: written}, seed)
                    assert verdict.passed, (written.__name__, check.name, verdict.reason)


def test_alternatives_are_of_parts_that_checks_use():
    assert set(ALTERNATIVES) == set(USED)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_four_to_ten_checks_of_one_to_three_points(lesson):
    own = checks.for_lesson(lesson)
    assert 4 <= len(own) <= 10
    assert all(1 <= check.points <= 3 for check in own)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_lesson_module_bears_its_number(lesson):
    for check in checks.for_lesson(lesson):
        assert inspect.getmodule(check.program).__name__ == f"autograder.checks.lesson{lesson[:2]}"
        assert check.program.__name__ == check.name


@pytest.mark.parametrize("part", USED)
def test_each_part_has_three_hints_in_both_languages(part):
    stages = hints.all_hints()[part]
    assert len(stages) == 3
    for zh, en in stages:
        assert any("\u4e00" <= sign <= "\u9fff" for sign in zh + "一" * (len(zh) < 16)) and en.isprintable()
        assert zh != en


def test_hints_are_of_parts_that_checks_use():
    assert set(hints.all_hints()) == set(USED)


# ── The registry, and what a program may yield ───────────────────────────────────────────────────


def test_an_unknown_check_is_refused_and_the_nearest_offered():
    with pytest.raises(UnknownName, match="sgd_step") as caught:
        checks.get("sdg_step")
    assert "没有名为 'sdg_step' 的检查" in str(caught.value)


def test_two_lessons_cannot_share_a_name():
    with pytest.raises(ValueError, match="sgd_step"):
        checks.check("sgd_step", lesson="99_other", points=1, parts=[])


def made(program, points=2):
    return Check("made", "00_made", points, (), program)


def test_one_property_that_raises_costs_itself_alone():
    def program(T, rng):
        yield "a", lambda: 1 / 0
        yield "b", lambda: T.tensor([1.0])

    outcome = checks.attempt(made(program), minigrad, 1)
    assert outcome.values[0].value == {"error": "ZeroDivisionError: division by zero"}
    assert outcome.values[1].value == encode(np.array([1.0], np.float32))
    assert outcome.error is None
    assert outcome.faults[0]["code"] == 'yield "a", lambda: 1 / 0'


def test_an_error_between_properties_ends_the_run_and_names_the_line():
    def program(T, rng):
        yield "a", 1
        raise ValueError("the rest is silence")

    outcome = checks.attempt(made(program), minigrad, 1)
    assert [each.label for each in outcome.values] == ["a"]
    assert outcome.error["class"] == "ValueError"
    assert outcome.error["code"] == 'raise ValueError("the rest is silence")'


def test_recording_is_on_before_and_after_a_run():
    def program(T, rng):
        yield "at first", T.is_grad_enabled()
        T.set_grad_enabled(False)

    minigrad.set_grad_enabled(False)
    outcome = checks.attempt(made(program), minigrad, 1)
    assert outcome.values[0].value is True
    assert minigrad.is_grad_enabled()


def test_division_by_zero_is_silent_as_in_torch():
    def program(T, rng):
        yield "inf", lambda: np.ones(1) / np.zeros(1)

    assert checks.attempt(made(program), minigrad, 1).values[0].value["data"] == ["inf"]


def test_a_loop_that_is_interrupted_has_a_line_wherever_that_strikes():
    """Python 3.11 has none for the jump back."""

    def strike(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, strike)
    try:
        for _ in range(20):
            with pytest.raises(TimeoutError) as caught:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                count = 0
                while True:
                    count += 1
            trace = caught.value.__traceback__
            assert trace.tb_frame.f_code.co_firstlineno < checks.line_of(trace) and checks.fault(caught.value)["code"]
    finally:
        signal.signal(signal.SIGALRM, before)


def test_raises_gives_the_class_and_the_first_sentence():
    def fails():
        raise KeyError("One thing. Another thing.")

    assert checks.raises(fails) == "KeyError: 'One thing"
    assert checks.raises(lambda: None) is None
    with pytest.raises(NotImplementedError):
        checks.raises(not_written)


@pytest.mark.parametrize(
    "message, first",
    [
        ("Only this", "Only this"),
        ("One. Two.", "One"),
        ("torch.add got 2.5 of it. Hint: x", "torch.add got 2.5 of it"),
        ("Why? Because.", "Why?"),
        ("over\n  two lines", "over two lines"),
    ],
)
def test_first_sentences(message, first):
    assert checks.first_sentence(message) == first


# ── torch as the oracle ──────────────────────────────────────────────────────────────────────────


def test_the_oracle_answers_as_a_fresh_torch_would():
    import torch

    before = [each.value for each in oracle.expected("no_grad_block", 11)]
    oracle.expected.cache_clear()
    torch.manual_seed(3)
    state = torch.get_rng_state()
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    try:
        assert [each.value for each in oracle.expected("no_grad_block", 11)] == before
        assert torch.get_default_dtype() == torch.float64 and not torch.is_grad_enabled()
        assert torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)


@pytest.mark.parametrize("name", ["function_saves", "warmup_descent", "clinic_double"])
def test_a_check_runs_as_in_a_fresh_process_whatever_the_notebook_has_set(name):
    before = attempt(name)
    minigrad.set_default_dtype(minigrad.float64)
    minigrad.set_grad_enabled(False)
    try:
        assert attempt(name) == before
        assert minigrad.get_default_dtype() is minigrad.float64
    finally:
        minigrad.set_default_dtype(minigrad.float32)
        minigrad.set_grad_enabled(True)


def attempt(name):
    """The values of a check of the engine's own parts."""
    return checks.attempt(checks.get(name), minigrad, 5).values


def test_the_oracle_has_the_warm_up_by_torchs_own_backward():
    X, Y = oracle.T.tensor([1.0, 2.0, 3.0]), oracle.T.tensor([3.0, 5.0, 7.0])
    assert oracle.T.warmup.squared_loss_grad(1.0, X, Y).item() == -40.0


def test_a_check_that_yields_a_label_twice_is_our_mistake(monkeypatch):
    monkeypatch.setitem(checks.REGISTRY, "twice", made(lambda T, rng: iter([("a", 1), ("a", 2)])))
    with pytest.raises(ValueError, match="twice"):
        oracle.expected("twice", 1)
