"""Known mistakes: each loses points, and each is recognised by its own hint."""

import gc
import subprocess
import sys
import threading
import warnings
import weakref
from collections import Counter

import nbformat
import pytest
from project_files import ROOT

import minigrad
from autograder import checks, lessons, mistakes, oracle, parts, sample_class
from autograder.compare import judge
from autograder.mistakes import MISTAKES, Mistake, Run, Search, Steps, TooLong, of_part, recognise, recognise_all
from autograder.mistakes.survey import survey, table
from minigrad.autograd.engine import count_dependencies, merge, run_node

USED = sorted({part for check in checks.REGISTRY.values() for part in check.parts})
SEED = 7


@pytest.mark.slow
@pytest.mark.parametrize("part", USED)
def test_every_mistake_loses_points_and_is_recognised_by_its_hint(part):
    """In one check of its lesson at least; and in no check is it taken for another."""
    rows = [survey(each, SEED) for each in of_part(part)]
    print(*table(rows), sep="\n")
    for row in rows:
        assert row.costly, row.mistake.name
        assert set(row.taken_for.values()) == {row.mistake.name}


@pytest.mark.parametrize("part", USED)
def test_a_part_has_at_least_three_mistakes_each_with_a_hint_in_both_languages(part):
    assert len(of_part(part)) >= 3
    for each in of_part(part):
        assert any("\u4e00" <= sign <= "\u9fff" for sign in each.hint.zh)
        assert each.hint.en.isascii() or not any("\u4e00" <= sign <= "\u9fff" for sign in each.hint.en)
        assert each.hint.zh[-1] in "。？！" and each.hint.en[-1] in ".?!"


def test_mistakes_are_of_parts_that_checks_use_and_a_hundred_at_least():
    assert {each.part for each in MISTAKES.values()} == set(USED)
    assert len(MISTAKES) >= 100


def test_every_part_that_a_lesson_teaches_is_asked_for_by_a_check():
    assert {part for name in lessons.names() for part in lessons.load(name).parts} == set(USED)


def test_no_two_mistakes_say_the_same():
    said = [each.hint for each in MISTAKES.values() if not each.name.endswith("mul_adds")]
    for words in zip(*said, strict=True):
        repeated = {each for each in words if words.count(each) > 1}
        assert repeated == set()


def test_a_second_mistake_of_one_name_does_not_replace_the_first():
    def always_a_float(self):
        return 0.0

    with pytest.raises(ValueError, match="two known mistakes are called"):
        mistakes.mistake("minigrad.tensor.Tensor.item", zh="。", en=".")(always_a_float)


def outcome_of(name, written):
    check = checks.get(name)
    with parts.plugged_in({**{part: parts.original(part) for part in check.parts}, **written}):
        outcome = checks.attempt(check, minigrad, SEED)
        return check, outcome, recognise(check, outcome, SEED)


MUL = "minigrad.ops.pointwise.mul_vjp_self"
OTHER = "minigrad.ops.pointwise.mul_vjp_other"


def test_a_mistake_written_in_other_words_is_recognised_too():
    _, _, found = outcome_of("mul_backward", {MUL: lambda upstream, x: x + upstream})
    assert found.name == f"{MUL}:mul_adds"


def test_what_is_right_or_wrong_in_a_way_of_its_own_is_not_recognised():
    assert outcome_of("mul_backward", {})[2] is None
    assert outcome_of("mul_backward", {MUL: lambda grad, other: 17 * grad})[2] is None


# As in a fresh kernel: the part is plugged before the first check loads the known mistakes.
PLUGGED_FIRST = """
import sys, types
from autograder import checks, parts

parts.plug_all({part: parts.original(part) for each in checks.REGISTRY.values() for part in each.parts})
from autograder import mistakes

known = [module for name, module in sys.modules.items() if name.startswith("autograder.mistakes.lesson")]
taken = [each for module in known for each in vars(module).values() if isinstance(each, types.FunctionType)]
assert known and not [each for each in taken if each.__code__.co_filename == parts.__file__]
assert parts.plugged() and {part for part in parts.plugged() if parts.calls(part)} == set()
"""
# As in lesson 15: a saved no_grad is plugged, then a module comes that uses it, then the first check.
EARLIER_PLUGGED = """
import inspect
from autograder import check, parts

earlier, asked = "minigrad.autograd.grad_mode.no_grad", "minigrad.clinic.fit_slope"
parts.plug(earlier, parts.original(earlier))
parts.plug(asked, parts.original(asked))
check("clinic_scalar", 5)
import minigrad.clinic
assert inspect.unwrap(minigrad.clinic.no_grad) is inspect.unwrap(parts.original(earlier))
assert parts.calls(asked)
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [PLUGGED_FIRST, EARLIER_PLUGGED])
def test_mistakes_are_made_of_the_engines_own_functions_also_where_parts_are_plugged_before_they_are_loaded(program):
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_one_wrong_part_beside_another_is_recognised_in_the_notebook():
    wrong = {MUL: lambda grad, other: 17 * grad, OTHER: lambda grad, self: grad + self}
    assert outcome_of("mul_backward", wrong)[2].name == f"{OTHER}:mul_adds"


def test_one_slip_in_two_parts_has_a_hint_for_each_in_the_notebook_and_none_for_a_part_that_is_right():
    both = {MUL: lambda grad, other: other, OTHER: lambda grad, self: self}
    with parts.plugged_in(both):
        check = checks.get("mul_backward")
        outcome = checks.attempt(check, minigrad, SEED)
        found = [each.name for each in mistakes.recognise_each(check, outcome, SEED)]
    assert found == [f"{MUL}:mul_forgot_grad", f"{OTHER}:mul_forgot_grad"]
    with parts.plugged_in(both | {OTHER: parts.original(OTHER)}):
        outcome = checks.attempt(check, minigrad, SEED)
        found = [each.name for each in mistakes.recognise_each(check, outcome, SEED)]
    assert found == [f"{MUL}:mul_forgot_grad"]


COUNT, POP, WALK = (
    f"minigrad.autograd.{each}" for each in ("engine.count_dependencies", "ready.pop", "engine.run_backward")
)


def counts_without_roots(roots):
    """A known mistake, but a Counter: the walk below gets its 0 for a root all the same."""
    return Counter({node: n for node, n in count_dependencies(roots).items() if n})


def looks_through(heap):
    """Right, of a list in any order."""
    return heap.pop(max(range(len(heap)), key=lambda at: heap[at]._sequence_nr()))


def queues_in_any_order(buffers, retain_graph, create_graph, task=None):
    """Right, with a pop that looks through the list; the engine's own pop wants a heap."""
    waiting = counts_without_roots(buffers)
    if task is not None:
        task.plan(waiting)
    ready = [root for root in buffers if not waiting[root]]
    while ready:
        node = looks_through(ready)
        grad = buffers.pop(node, None)
        results = run_node(node, grad, retain_graph, create_graph, task)
        for (parent, output), result in zip(node.next_functions, results, strict=True):
            if parent is None:
                continue
            if result is not None and parent in buffers:
                buffers[parent] = merge(parent, buffers[parent], result, output)
            elif result is not None:
                buffers[parent] = parent.receive(result, output, result is grad)
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)


def test_a_part_that_is_right_is_not_blamed_where_the_engines_own_would_not_fit_in_its_place():
    check = checks.get("engine_trains_a_network")
    with parts.plugged_in({COUNT: counts_without_roots, POP: looks_through, WALK: queues_in_any_order}):
        outcome = checks.attempt(check, minigrad, SEED)
        assert not judge(check, oracle.expected(check.name, SEED), outcome).passed
        assert {each.part for each in mistakes.recognise_each(check, outcome, SEED)} <= {COUNT}


UNBROADCAST = "minigrad.autograd.accumulate.unbroadcast"


@pytest.mark.parametrize("name", ["leaves_it_large", "forgets_the_surplus"])
def test_mistakes_that_look_alike_in_one_check_are_told_apart_by_the_others(name):
    known = MISTAKES[f"{UNBROADCAST}:{name}"]
    check, outcome, found = outcome_of("unbroadcast_rows", {UNBROADCAST: known.written})
    assert found is known
    assert parts.plugged() == {} and recognise(check, outcome, SEED) is None  # with nothing but this one outcome


TOLD_FROM = {  # from the one whose hint would be false of it, in this check
    f"{UNBROADCAST}:keeps_the_first_row": ("broadcast_in_a_network", "forgets_the_stretched_ones"),
    "minigrad.curvature.hessian_product:stops_at_the_slope": ("hessian_product_manners", "slope_times_v"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD_FROM)
def test_a_mistake_is_not_taken_for_one_whose_hint_is_false_of_it(name):
    part, (check, false) = name.partition(":")[0], TOLD_FROM[name]
    assert f"{part}:{false}" in MISTAKES
    assert outcome_of(check, {part: MISTAKES[name].written})[2].name == name


def without_a_base(no_grad):
    """The class as a learner writes it, by the name that errors tell."""
    return type("no_grad", (), {name: no_grad.__dict__[name] for name in ("__init__", "__enter__", "__exit__")})


DIFFERENCE, NO_GRAD = "minigrad.autograd.gradcheck.central_difference", "minigrad.autograd.grad_mode.no_grad"
AS_LEARNERS_WRITE = {
    "HasNoBase": ("no_grad_decorator", NO_GRAD, without_a_base(minigrad.no_grad)),
    "without_the_brackets_beside": (
        "central_difference_values",
        DIFFERENCE,
        lambda fn, x, d, eps: (fn(x + eps * d) - fn(x - eps * d)) * eps / 2,
    ),
}


@pytest.mark.parametrize("name", AS_LEARNERS_WRITE)
def test_a_mistake_is_recognised_as_learners_write_it(name):
    check, part, written = AS_LEARNERS_WRITE[name]
    assert outcome_of(check, {part: written})[2].name == f"{part}:{name}"


def test_a_mistake_in_both_parts_is_recognised_where_the_parts_are_not_at_hand():
    check, outcome, _ = outcome_of("mul_backward", {MUL: lambda g, x: x, OTHER: lambda g, x: x})
    assert parts.plugged() == {}
    assert recognise(check, outcome, SEED).name == f"{MUL}:mul_forgot_grad"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, known",
    [
        ("custom_network", "minigrad.autograd.gradcheck.central_difference:writes_under_no_grad"),
        ("digits_in_small", "minigrad.training.train_epoch:epoch_goes_back_once"),
        ("deep_and_many_ways", "minigrad.autograd.engine.run_backward:overwrites"),
    ],
)
def test_a_search_through_the_longest_checks_comes_to_its_end(name, known):
    """The mistakes, of all, that take the most steps to be found, by the referee, who tries every part's."""
    check, mistake = checks.get(name), MISTAKES[known]
    own = {part: parts.original(part) for part in check.parts}
    with parts.plugged_in(own | {mistake.part: mistake.written}):
        outcome = checks.attempt(check, minigrad, SEED)
    search = mistakes.Search(check, outcome, SEED, minigrad)
    with parts.plugged_in(own):
        assert [each for each, _ in search.in_one()] == [mistake]
    assert search.left > mistakes.BUDGET / 20


@pytest.mark.slow
@pytest.mark.parametrize("lesson", lessons.names())
def test_all_checks_that_a_sample_students_mistake_costs_have_its_hint(lesson):
    """By the referee, who has all of a submission's checks before it, and none of its parts."""
    wanted = checks.for_lesson(lesson)
    own = {part: parts.original(part) for check in wanted for part in check.parts}
    released = nbformat.read(lessons.RELEASE / lesson / f"{lesson}.ipynb", as_version=4)
    for known in sample_class.Material(lessons.load(lesson), released, {}).mistakes()[: sample_class.MISTAKES_MADE + 1]:
        with parts.plugged_in(own | {known.part: known.written}), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs = [Run(check, checks.attempt(check, minigrad, SEED), SEED) for check in wanted]
        lost = [
            each for each in runs if not judge(each.check, oracle.expected(each.check.name, SEED), each.outcome).passed
        ]
        assert lost and recognise_all(lost) == {each.check.name: known for each in lost}


def test_recognition_leaves_parts_and_counts_as_they_were():
    check = checks.get("mul_backward")
    written = {part: parts.original(part) for part in check.parts} | {MUL: lambda grad, other: grad}
    with parts.plugged_in(written):
        outcome = checks.attempt(check, minigrad, SEED)
        before = {part: parts.calls(part) for part in written}
        recognise(check, outcome, SEED)
        assert {part: parts.calls(part) for part in written} == before
        assert parts.plugged() == written


def for_ever(grad, other):
    while True:
        pass


def in_circles(grad, other):
    return in_circles(grad, other)


def in_the_engine(grad, other):
    while True:
        minigrad.ones(1)


def behind_an_except(grad, other):
    while True:
        try:
            minigrad.ones(1).no_such_attribute
        except Exception:
            continue


@pytest.mark.parametrize("endless", [for_ever, in_circles, in_the_engine, behind_an_except])
def test_an_endless_mistake_is_given_up_and_the_others_still_tried(monkeypatch, endless):
    first = {"endless": Mistake("endless", MUL, endless, mistakes.Text("一", "one"))}
    monkeypatch.setattr(mistakes, "MISTAKES", first | MISTAKES)
    _, _, found = outcome_of("mul_backward", {MUL: lambda grad, other: grad})
    assert found.name == f"{MUL}:mul_passes_grad_on"


def test_a_walk_of_the_engine_that_never_ends_is_given_up():
    node = (minigrad.ones(1, requires_grad=True) * 2).grad_fn
    with pytest.raises(TooLong), Steps(1000, "autograder.mistakes.lesson00"):
        while node:  # neither the engine's nor the mistake's line, and yet it asks the engine at every turn
            minigrad.is_grad_enabled()


def test_steps_are_the_same_on_a_busy_machine_and_a_quiet_one():
    def taken():
        with Steps(10**6, "autograder.mistakes.lesson00") as steps:
            (minigrad.ones(3, requires_grad=True) * 2).sum().backward()
        return steps.taken

    taken()
    assert taken() == taken() > 10


def test_a_run_that_is_given_up_strikes_in_no_callback_and_prints_nothing(capsys):
    """Under load: weak dictionaries lose their keys and other threads collect garbage all the while."""
    unraisable, over, seen = [], threading.Event(), weakref.WeakKeyDictionary()

    class Key:
        def __init__(self):
            self.circle = self

    def litter():
        for _ in range(1000):
            for _ in range(20):
                seen[Key()] = minigrad.ones(1)
            gc.collect(0)

    def collect():
        while not over.wait(0.001):
            gc.collect(0)

    threads = [threading.Thread(target=collect) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", unraisable.append)
        for each in threads:
            each.start()
        for most in range(1000, 1100):
            with pytest.raises(TooLong), Steps(most, __name__):
                litter()
        over.set()
        for each in threads:
            each.join()
    assert unraisable == []
    assert capsys.readouterr() == ("", "")


def test_steps_are_counted_in_any_thread_and_the_tracer_before_is_back_afterwards():
    given_up = []

    def work():
        def tracer(frame, event, arg):
            return None

        sys.settrace(tracer)
        try:
            with Steps(1000, __name__):
                for_ever(1, 2)
        except TooLong:
            given_up.append(sys.gettrace() is tracer)
        finally:
            sys.settrace(None)

    before = sys.gettrace()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert given_up == [True, True]
    assert sys.gettrace() is before


def test_a_hint_never_goes_to_a_right_part():
    """Each mistake of one part beside a right other part: the hint is of the wrong one."""
    for name in ("mul_backward", "div_backward", "exp_log_backward", "matmul_backward"):
        check = checks.get(name)
        for part in check.parts:
            for each in of_part(part):
                _, outcome, found = outcome_of(name, {part: each.written})
                assert found.part == part
                assert not judge(check, oracle.expected(name, SEED), outcome).passed


def test_a_mistake_that_fills_the_stack_finalizes_nobodys_garbage(monkeypatch):
    """Every call leaves a ring whose end takes fifty calls, and the collector comes often: never on the full stack."""
    unraisable: list[object] = []
    ended: list[int] = []
    made = [0]

    class Ring:  # without __init__, which from Python 3.12 on would itself be the call too many
        def __del__(self, calls=50):
            self.__del__(calls - 1) if calls else ended.append(1)

    def calls_itself(tensor):
        ring = Ring()
        ring.circle = ring
        made[0] += 1
        return tensor.item()

    item = "minigrad.tensor.Tensor.item"
    search = Search(checks.get("item_value"), checks.Outcome([], {}), 0, minigrad)
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    often = gc.get_threshold()
    gc.set_threshold(20)
    try:
        run = search.attempt(item, calls_itself)
    finally:
        gc.set_threshold(*often)
    gc.collect()
    assert "RecursionError" in str(run)
    assert unraisable == []
    assert len(ended) >= made[0] > 100
