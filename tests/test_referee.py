"""The referee on real checks: right answers earn their points, and whatever else happens costs what it breaks.

Each hostile program is the learner's `relu` rule, or a cell beside it. The other two rules are right, so their
checks must keep their points.
"""

import json
import os
import signal
import threading

import nbformat
import pytest
from sandbox_tools import QUICK

from autograder import checks, lessons, pages, sample_class
from autograder.editions import learners_edition
from autograder.errors import AutograderError, UnknownName
from autograder.kit import Kit
from autograder.mistakes import MISTAKES
from autograder.nbgrader_plugin import transplanted
from autograder.referee import Referee, seed_for
from autograder.sandbox import Sandbox, Unsafe
from autograder.solutions import definitions
from autograder.work import job_of

pytestmark = pytest.mark.sandbox

LESSON = "03_local_derivatives"
WANTED = ["tanh_backward", "relu_backward", "exp_log_backward"]
SECRET = b"the course's secret, for tests only"
LIMITS = QUICK._replace(check_seconds=1.0)
POINTS = {name: checks.get(name).points for name in WANTED}
RULES = {
    "tanh": ("grad, result", "return grad * (1 - result * result)"),
    "relu": ("grad, result", "return np.where(result > 0, grad, 0)"),
    "exp": ("grad, result", "return grad * result"),
    "log": ("grad, self", "return grad / self"),
}


def rule(name, body=None):
    arguments, right = RULES[name]
    lines = "\n    ".join((body or right).splitlines())
    return f'@implements("minigrad.ops.pointwise.{name}_vjp")\ndef {name}_vjp({arguments}):\n    {lines}\n'


def submission(relu=None, beside=""):
    setup = "import numpy as np\nimport minigrad\nfrom autograder import check, hint, implements"
    cells = {"setup": setup, "beside": beside} | {name: rule(name) for name in ("tanh", "exp", "log")}
    return [{"id": name, "source": source} for name, source in (cells | {"relu": rule("relu", relu)}).items()]


@pytest.fixture(scope="module")
def edition():
    return learners_edition({part for each in checks.for_lesson(LESSON) for part in each.parts})


@pytest.fixture(scope="module")
def referee():
    with Referee(SECRET, limits=LIMITS) as referee:
        yield referee


@pytest.fixture
def grade(referee, edition):
    """Grade three checks of a submission: name -> record."""

    def grade(cells, student="ada"):
        records = referee.grade(LESSON, student, cells, WANTED, edition)
        assert [each["check"] for each in records] == WANTED
        return {each["check"]: each for each in records}

    return grade


def scores(records):
    return {name: record["score"] for name, record in records.items()}


# ── Fair play ────────────────────────────────────────────────────────────────────────────────────


def test_right_answers_earn_all_points(grade):
    records = grade(submission())
    assert scores(records) == POINTS
    for record in records.values():
        assert record["status"] == "graded" and record["sandboxed"] and record["reason"] is record["hint"] is None
        assert {each["state"] for each in record["properties"]} == {"pass"}
        assert record["versions"].keys() >= {"python", "numpy", "torch", "seeds"}
        json.dumps(record, allow_nan=False)


def test_another_right_way_of_writing_earns_them_too(grade):
    assert scores(grade(submission(relu="passed = result > 0\nreturn np.where(passed, grad, 0)"))) == POINTS


def test_what_is_not_written_earns_nothing(grade):
    cells = [each for each in submission() if each["id"] == "setup"]
    records = grade(cells)
    assert scores(records) == dict.fromkeys(WANTED, 0)
    assert "Your minigrad.ops.pointwise.relu_vjp was not found" in records["relu_backward"]["reason"]["en"]


def test_a_right_part_gets_its_due_beside_a_stub(grade):
    """exp and log share a check: what one has earned does not hang on the other, which is a stub or whose cell did not
    even compile; but two of these earn nothing."""

    def record(*stubs, body="raise NotImplementedError"):
        changed = {name: rule(name, body) for name in stubs}
        cells = [each | {"source": changed.get(each["id"], each["source"])} for each in submission()]
        return grade(cells)["exp_log_backward"]

    one, both = record("log"), record("exp", "log")
    assert (one["score"], both["score"]) == (1, 0)
    broken = record("log", body="return grad /")
    assert broken["score"] == 1 and "Cell log did not run" in broken["reason"]["en"]
    assert broken["properties"] == one["properties"]
    assert record("exp", "log", body="return grad /")["score"] == 0
    assert one["reason"]["en"] == "The part log_vjp is not written yet."
    assert [each["label"] for each in one["properties"] if each["state"] == "pass"] == [
        "exp", "exp far below zero, float32", "the other branch of a sum: exp", "the output is left as it was",
    ]  # fmt: skip


def test_a_cell_that_fails_is_named_as_the_reason(grade):
    cells = submission(relu="return grad *")
    record = grade(cells)["relu_backward"]
    assert record["score"] == 0
    assert "Cell relu did not run" in record["reason"]["en"] and "line 3" in record["reason"]["en"]
    assert "单元格 relu" in record["reason"]["zh"]


def test_a_wrong_value_names_the_first_difference(grade):
    records = grade(submission(relu="return grad * (result >= 0)"))
    assert 0 <= records["relu_backward"]["score"] < POINTS["relu_backward"]
    assert "expected" in records["relu_backward"]["reason"]["en"]
    assert scores(records) | {"relu_backward": 1} == POINTS


# What a mistake costs checks besides those in which it is plain: where another would look the same, where the check is
# of another part that needs this one, and where it keeps the engine from calling another part at all.
COSTS = {
    "minigrad.autograd.accumulate.unbroadcast:leaves_it_large": "04_broadcast",
    "minigrad.backend.array_module:always_numpy": "14_gpu",
}


@pytest.mark.parametrize("name", COSTS)
def test_one_known_mistake_has_its_hint_in_every_check_that_asks_for_the_part_and_costs_no_other(referee, name):
    lesson_name, known = COSTS[name], MISTAKES[name]
    asking = [each.name for each in checks.for_lesson(lesson_name) if known.part in each.parts]
    lesson = lessons.load(lesson_name)
    released = nbformat.read(lessons.RELEASE / lesson_name / f"{lesson_name}.ipynb", as_version=4)
    right = sample_class.answers_of(lesson)
    answers = {
        grade_id: sample_class.with_mistake(answer, known) if known.part in definitions(answer) else answer
        for grade_id, answer in right.items()
    }
    notebook = sample_class.Material(lesson, released, right).notebook(answers)
    job = job_of(lesson, notebook, "ada", SECRET, unsafe=False)
    records = referee.grade(lesson_name, "ada", job["cells"], None, learners_edition(job["parts"]))
    hints = {each["check"]: each["hint"] for each in records if each["score"] < each["points"]}
    assert hints == dict.fromkeys(asking, name)


# ── Foul play, and accidents ─────────────────────────────────────────────────────────────────────

ACCIDENTS = {
    "endless": ("while True: pass", "1 seconds"),
    "swallows": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "1 seconds",
    ),
    "uninterruptible": ("sum(range(10**13))", "1 seconds"),
    "sleeps": ("import time; time.sleep(1000)", "1 seconds"),
    "exits": ("import os; os._exit(0)", "its own process"),
    "exits politely": ("import sys; sys.exit(0)", "SystemExit"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
    "kills the others": ("import os; os.kill(-1, 9)", ""),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "base exception": ("raise BaseException('x')", "BaseException"),
    "memory": ("bytearray(10 << 30)", "MemoryError"),
    "memory of NumPy": ("return np.ones(1 << 40)", "MemoryError"),
    "recursion": ("return relu_vjp(grad, result)", "maximum recursion depth"),
    "fork bomb": ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", "too many processes"),
    "closes everything": ("import os; os.closerange(0, 200)", ""),
    "torch": ("import torch", "No module named 'torch'"),
    "input": ("input('x')", "input('x')"),
    "nothing": ("np.where(result > 0, grad, 0)", ""),
    "text": ("return 'grad'", ""),
    "shape": ("return grad[:1]", ""),
    "not a number": ("return grad * np.nan", ""),
    "infinite": ("return grad + np.inf", ""),
    "huge": ("return np.ones(3_000_000)", ""),
    "escape codes": ("raise ValueError('\\x1b[2J\\u202e')", "ValueError"),
    "surrogates": ("raise ValueError('\\ud800')", "ValueError"),
    "long words": ("raise ValueError('x' * 1_000_000)", "ValueError"),
}


@pytest.mark.parametrize("name", ACCIDENTS)
def test_what_goes_wrong_in_one_part_costs_its_own_check(grade, name):
    body, word = ACCIDENTS[name]
    records = grade(submission(relu=body))
    assert scores(records) == POINTS | {"relu_backward": 0}
    reason = records["relu_backward"]["reason"]
    assert word in reason["en"] and " it " not in reason["zh"]
    assert all(character.isprintable() or character == "\n" for text in reason.values() for character in text)
    assert len(reason["en"]) < 5000
    assert {each["status"] for each in records.values()} == {"graded"}


def test_a_cell_that_ends_its_process_costs_no_check_that_is_called_as_it_is(grade):
    cells = [each | {"id": each["id"].replace("tanh", "exp_log_backward")} for each in submission()]
    cells = [each | {"source": "import os; os._exit(0)"} if "_" in each["id"] else each for each in cells]
    assert scores(grade(cells)) == POINTS | {"tanh_backward": 0}


def test_what_was_found_before_a_crash_counts(grade):
    body = "calls.append(1)\nif len(calls) > 2: import os; os._exit(0)\nreturn np.where(result > 0, grad, 0)"
    record = grade(submission(relu=body, beside="calls = []"))["relu_backward"]
    assert record["properties"][0]["state"] == "pass"
    assert [each["state"] for each in record["properties"]].count("fail") == 1  # where it crashed
    assert record["properties"][-1]["state"] == "unreached"
    assert ">–</td>" in pages.as_html(record) and "\n  – " in pages.as_text(record)


CHEATS = {
    "patches the count": "import autograder.parts as p\np.calls = lambda name: 1\np.unwritten = lambda name: False",
    "patches encode": "from autograder import checks\nchecks.encode = lambda value, depth=0: 0.0",
    "patches the check": "from autograder import checks\nobject.__setattr__(checks.get('relu_backward'), 'program', "
    "lambda T, rng: iter([('relu', 1.0)]))",
    "equal to everything": "class E(float):\n    def __eq__(self, o): return True\n    __hash__ = float.__hash__\n"
    "minigrad.Tensor.grad = property(lambda self: E(1))",
    "patches random": "class R:\n    def __getattr__(self, name): return lambda *a, **k: 0\n"
    "np.random.default_rng = lambda seed: R()",
    "patches the frames": "import autograder.runner.checking as c\nc.pack = lambda m: b''",
    "another engine": "minigrad.relu = lambda x: x * 0.5",
    "traces": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)",
    "forges frames": """
import json, os
def frame(message):
    payload = json.dumps(message).encode()
    return len(payload).to_bytes(4, "big") + payload
part = "minigrad.ops.pointwise.relu_vjp"
forged = [{"type": "cell", "id": "beside", "error": None}, {"type": "starts", "check": "relu_backward"}]
for label in ("relu", "at the kink", "score", "points"):
    for value in (1.0, {"shape": [12], "dtype": "float64", "data": [0.0] * 12}):
        forged.append({"type": "property", "check": "relu_backward", "label": label, "value": value})
forged.append({"type": "check_done", "check": "relu_backward", "calls": {part: 9}, "unwritten": False, "error": None,
               "score": 1, "points": 100, "status": "graded"})
for number in range(3, 256):
    try:
        os.write(number, b"".join(map(frame, forged)))
    except OSError:
        pass
""",
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_earns_nothing(grade, name):
    cells = submission(relu="raise NotImplementedError", beside=CHEATS[name])
    record = grade(cells)["relu_backward"]
    assert (record["score"], record["status"], record["points"]) == (0, "graded", POINTS["relu_backward"])


@pytest.mark.parametrize("name", [name for name in CHEATS if name not in ("traces",)])
def test_a_cheat_that_would_be_right_without_it_earns_no_more(grade, name):
    assert all(score <= POINTS[check] for check, score in scores(grade(submission(beside=CHEATS[name]))).items())


def test_one_student_leaves_nothing_for_the_next(grade):
    vandal = "import builtins\nnp.multiply = np.add = None\nbuiltins.float = str\nminigrad.tensor = None"
    assert scores(grade(submission(beside=vandal), "mallory")) != POINTS
    assert scores(grade(submission(), "ada")) == POINTS


# ── Seeds ────────────────────────────────────────────────────────────────────────────────────────


def test_a_seed_depends_on_all_that_it_is_drawn_from():
    drawn = seed_for(SECRET, "ada", LESSON, "relu_backward")
    assert drawn == seed_for(SECRET, "ada", LESSON, "relu_backward") and 0 <= drawn < 1 << 63
    others = [
        seed_for(b"another", "ada", LESSON, "relu_backward"),
        seed_for(SECRET, "bob", LESSON, "relu_backward"),
        seed_for(SECRET, "ada", "10_weight_update", "relu_backward"),
        seed_for(SECRET, "ada", LESSON, "tanh_backward"),
        seed_for(SECRET, "ada", LESSON, "relu_backward", "2"),
        seed_for(SECRET, 'ada", "' + LESSON, "", "relu_backward"),
    ]
    assert len({drawn, *others}) == len(others) + 1


def test_another_submission_gets_other_inputs_and_the_same_bytes_the_same(referee):
    """Feedback shows the seed: whoever hands in again must not know the inputs."""
    path = lessons.RELEASE / LESSON / f"{LESSON}.ipynb"
    data, released = path.read_bytes(), nbformat.read(path, as_version=4)
    drawn = [
        job_of(lessons.describe(LESSON, released), transplanted(released, each), "ada", SECRET, unsafe=False)["seeds"]
        for each in (data, data, data + b"\n")
    ]
    assert drawn[0] == drawn[1] and not set(drawn[0].values()) & set(drawn[2].values())


def test_records_are_the_same_each_time_and_differ_by_student(grade):
    wrong = submission(relu="return grad * 2.0")
    assert grade(wrong) == grade(wrong)
    ada, bob = grade(wrong, "ada")["relu_backward"], grade(wrong, "bob")["relu_backward"]
    assert ada["seed"] == seed_for(SECRET, "ada", LESSON, "relu_backward") != bob["seed"]
    assert ada["properties"] != bob["properties"]  # other inputs, other differences


def test_a_course_without_a_secret_is_refused():
    with pytest.raises(AutograderError, match="no secret"):
        Referee(b"")


def test_an_unknown_check_is_named(referee):
    with pytest.raises(UnknownName, match="relu_backward"):
        referee.grade(LESSON, "ada", [], ["relu_backwards"])


# ── When the machine fails ───────────────────────────────────────────────────────────────────────


class NeverStarts(Sandbox):
    """Its mounts name a directory that does not exist."""

    def command(self, filter_fd, *python):
        words = super().command(filter_fd, *python)
        return [*words[:1], "--ro-bind", "/no/such/place", "/x", *words[1:]]


def test_what_could_not_be_graded_is_no_zero(edition):
    with Referee(SECRET, NeverStarts, limits=LIMITS) as referee:
        records = referee.grade(LESSON, "ada", submission(), WANTED, edition)
    for record in records:
        assert (record["score"], record["status"], record["properties"]) == (None, "ungradable", [])
        assert "/no/such/place" in record["reason"]["en"] and "不是零分" in record["reason"]["zh"]
        assert "沙箱没有启动" in record["reason"]["zh"] and "沙箱" not in record["reason"]["en"]
        assert "The sandbox did not start" in record["reason"]["en"] and "The sandbox" not in record["reason"]["zh"]


class DiesOnce(Sandbox):
    """The first sandbox is killed from outside while it works, as a machine short of memory would."""

    died = 0

    def start(self):
        running = super().start()
        if not DiesOnce.died:
            DiesOnce.died += 1
            threading.Timer(0.3, os.killpg, (running._process.pid, signal.SIGKILL)).start()
        return running


def test_a_sandbox_that_dies_is_replaced(edition):
    with Referee(SECRET, DiesOnce, limits=LIMITS) as referee:
        slow = submission(beside="import time; time.sleep(0.5)")
        records = referee.grade(LESSON, "ada", slow, WANTED, edition)
    assert DiesOnce.died == 1
    assert {each["check"]: each["score"] for each in records} == POINTS


def test_without_a_sandbox_scores_are_the_same_and_records_are_marked(edition, capfd):
    with Referee(SECRET, Unsafe, limits=LIMITS) as referee:
        said = capfd.readouterr().err
        right = referee.grade(LESSON, "ada", submission(), WANTED, edition)
        wrong = referee.grade(LESSON, "ada", submission(relu="while True: pass"), WANTED, edition)
    assert "NO SANDBOX" in said and "没有沙箱" in said
    assert {each["check"]: each["score"] for each in right} == POINTS
    assert {each["check"]: each["score"] for each in wrong} == POINTS | {"relu_backward": 0}
    assert {each["sandboxed"] for each in [*right, *wrong]} == {False}


def test_a_fresh_sandbox_for_each_job_gives_the_same(edition, grade):
    with Referee(SECRET, limits=LIMITS, jobs=1) as fresh:
        records = fresh.grade(LESSON, "ada", submission(), WANTED, edition)
    assert {each["check"]: each for each in records} == grade(submission())


def test_the_editions_of_a_lesson_are_laid_out_once_and_only_the_last_have_a_sandbox_that_waits(monkeypatch):
    laid_out, started = [], []

    class Noted(Sandbox):
        def start(self):
            started.append(super().start())
            return started[-1]

    monkeypatch.setattr("autograder.referee.Kit", lambda edition: laid_out.append(edition) or Kit(edition))
    asked = list({each.parts: each for each in checks.for_lesson(LESSON)}.values())[:6]
    with Referee(SECRET, Noted, limits=LIMITS) as referee:
        for each in asked * 2:
            referee.hear_one(LESSON, "ada", submission(), each.name, 1, learners_edition(each.parts), alone=True)
        assert len(laid_out) == len(asked) == 6
        assert [each.alive for each in started[-4:]] == [True] * 4 and not any(each.alive for each in started[:-4])
