"""Every attack of tests/attacks, in the real sandbox, each with an honest neighbour; and the controls.

An attack ends with the points honestly earned, the host untouched, the next student graded in full. A control shows
that the attack is one: that it succeeds in a process without a sandbox, or where the test runs beside the student's code
as in plain nbgrader.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from attacks import Break, Forgery
from attacks.exhaustion import EXHAUSTIONS
from attacks.scores import FORGERIES
from attacks.walls import BREAKS, SEARCHES_ITS_MEMORY
from sandbox_tools import QUICK, run_cells

from autograder import checks
from autograder.editions import learners_edition
from autograder.kit import Kit
from autograder.referee import Referee
from autograder.sandbox import Sandbox

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LESSON = "03_local_derivatives"
WANTED = ["tanh_backward", "relu_backward", "exp_log_backward"]
POINTS = {name: checks.get(name).points for name in WANTED}
LIMITS = QUICK._replace(cell_seconds=1.5, check_seconds=1.5)  # an honest cell takes longer where the machine is busy
RULES = {
    "tanh": ("grad, result", "return grad * (1 - result * result)"),
    "exp": ("grad, result", "return grad * result"),
    "log": ("grad, self", "return grad / self"),
    "relu": ("grad, result", "return np.where(result > 0, grad, 0)"),
}


def name(attack: Break | Forgery) -> str:
    return attack.name


def rule(which: str, body: str) -> str:
    head = f'@implements("minigrad.ops.pointwise.{which}_vjp")\ndef {which}_vjp({RULES[which][0]}):\n'
    return head + textwrap.indent(body, "    ")


def cells(beside: str, relu: str) -> list[dict[str, str]]:
    """A submission: the attack in front, the part it wants points for, three rules that are right."""
    sources = {"setup": "import numpy as np\nimport minigrad\nfrom autograder import implements", "beside": beside}
    sources |= {which: rule(which, right) for which, (_, right) in RULES.items()} | {"relu": rule("relu", relu)}
    return [{"id": key, "source": source} for key, source in sources.items()]


HONEST = cells("", RULES["relu"][1])


# ── For a score ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def edition():
    return learners_edition({part for each in checks.for_lesson(LESSON) for part in each.parts})


@pytest.fixture(scope="module")
def referee():
    with Referee(b"a secret for tests only", limits=LIMITS) as referee:
        yield referee


def scores(referee, edition, submission, student):
    records = referee.grade(LESSON, student, submission, WANTED, edition)
    assert all(record["status"] == "graded" and len(repr(record)) < 30_000 for record in records)
    return {record["check"]: record["score"] for record in records}


@pytest.mark.parametrize("attack", FORGERIES + EXHAUSTIONS, ids=name)
def test_it_earns_what_was_honestly_earned(attack, referee, edition):
    earned = scores(referee, edition, cells(attack.beside, attack.relu), "eve")
    assert earned["relu_backward"] == 0
    kept = POINTS.keys() - {"relu_backward", *attack.risks}
    assert {key: earned[key] for key in kept} == {key: POINTS[key] for key in kept}
    assert all(earned[key] <= POINTS[key] for key in attack.risks)
    assert scores(referee, edition, HONEST, "ada") == POINTS


UNUSUAL = {
    "setup": HONEST[0]["source"] + "\nimport functools\nZERO = 0\n",
    "tanh": """
class Rule:
    slope = staticmethod(lambda result: 1 - result * result)
    def __call__(self, grad, result): return grad * self.slope(result)
implements("minigrad.ops.pointwise.tanh_vjp")(Rule())
""",
    "exp": """
def times(power, grad, result): return grad * result**power
implements("minigrad.ops.pointwise.exp_vjp")(functools.partial(times, 1))
""",
    "log": """
def timed(function):
    def inner(*args): return function(*args)
    return inner
@timed
@implements("minigrad.ops.pointwise.log_vjp")
@timed
def log_vjp(grad, self): return grad / self
""",
    "relu": """
@implements("minigrad.ops.pointwise.relu_vjp")
@np.errstate(all="ignore")
def relu_vjp(g: "np.ndarray", r: "np.ndarray", /, depth=2) -> "np.ndarray":
    from numpy import where
    return relu_vjp(g, r, depth=depth - 1) if depth else where(r > ZERO, g, ZERO)
""",
}


def test_unusual_forms_of_the_right_rules_earn_full_marks(referee, edition):
    submission = [{"id": key, "source": source} for key, source in UNUSUAL.items()]
    assert scores(referee, edition, submission, "grace") == POINTS


STOCK = """
import contextlib
space = {{}}
for source in {sources!r}:
    with contextlib.suppress(Exception):
        exec(source, space)
exec('''
x = minigrad.tensor([-1.0, 2.0], requires_grad=True)
y = minigrad.relu(x)
with contextlib.suppress(NotImplementedError):
    y.backward(minigrad.tensor([1.0, 1.0]))
np.testing.assert_allclose(np.zeros(2) if x.grad is None else x.grad.numpy(), [0.0, 1.0])
''', space | {{"contextlib": contextlib}})
print("full marks")
"""


def stock(attack: Forgery, edition: Path) -> bool:
    """Whether a test cell in the student's own process gives full marks, as plain nbgrader would."""
    program = STOCK.format(sources=[each["source"] for each in cells(attack.beside, attack.relu)])
    environment = {**os.environ, "PYTHONPATH": f"{edition}:{Path(__file__).parent.parent}"}
    found = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, timeout=30
    )
    return "full marks" in found.stdout


@pytest.mark.parametrize("attack", [each for each in FORGERIES if each.stock], ids=name)
def test_where_the_test_runs_beside_it_it_gets_full_marks(attack, edition):
    assert stock(attack, edition)


def test_and_there_somebody_honest_gets_them_too_and_who_wrote_nothing_does_not(edition):
    assert stock(Forgery("honest", relu=RULES["relu"][1]), edition)
    assert not stock(Forgery("nothing"), edition)


# ── For the host ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """Something worth attacking: a file of marks, a folder open to all, sockets that listen, a process, a variable."""
    folder = tmp_path_factory.mktemp("host")
    for each in (folder, *folder.parents[:3]):
        with contextlib.suppress(PermissionError):
            each.chmod(each.stat().st_mode | 0o755)
    folder.chmod(0o777)
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0attacked-{os.getpid()}")
        file = stack.enter_context(socket.socket(socket.AF_UNIX))
        file.bind(str(folder / "socket"))
        for each in (abstract, file):
            each.listen()
        victim = stack.enter_context(subprocess.Popen(["sleep", "600"]))
        os.environ["COURSE_SECRET"] = "hunter2"
        yield {
            "SECRET": str(folder / "marks"),
            "FOLDER": str(folder),
            "PORT": tcp.getsockname()[1],
            "NAME": f"attacked-{os.getpid()}",
            "PID": victim.pid,
        }
        del os.environ["COURSE_SECRET"]
        assert victim.poll() is None
        victim.kill()


@pytest.fixture
def marks(host):
    """The marks as they were; afterwards they, and the folder, must still be so."""
    path = Path(host["SECRET"])
    path.write_text("ada 100")
    path.chmod(0o666)
    yield path
    for each in set(path.parent.iterdir()) - {path, path.parent / "socket"}:
        each.unlink()


@pytest.fixture(scope="module")
def inside(edition):
    """Starts sandboxes on the learner's edition, as grading does; gives the one that waits, if it is still clean."""
    kit, waiting = Kit(edition), []

    def start():
        if not (waiting and waiting[-1].alive):
            waiting.append(Sandbox(kit, QUICK).start())
        return waiting[-1]

    yield start
    for each in waiting:
        each.close()
    kit.close()


def state(folder: Path):
    return sorted((each.name, each.is_file() and each.read_text()) for each in folder.iterdir())


WON = """
def won(what):
    raise SystemExit("answer: " + repr(("won", str(what)[:80])))
"""


def known(host: dict[str, object]) -> str:
    return WON + "".join(f"{key} = {value!r}\n" for key, value in host.items())


@pytest.mark.parametrize("attack", BREAKS, ids=name)
def test_it_reaches_nothing_of_the_host(attack, inside, host, marks):
    before = state(marks.parent)
    _, outcome, after = run_cells(inside(), known(host), attack.source, "answer('still here')")
    assert not (isinstance(outcome, tuple) and outcome[0] == "won"), outcome
    assert outcome is None or outcome[0] != "NameError", outcome
    assert after == "still here"
    assert state(marks.parent) == before


@pytest.mark.parametrize("attack", [each for each in BREAKS if each.control != ""], ids=name)
def test_without_a_sandbox_it_does(attack, host, marks, tmp_path):
    program = f"{known(host)}\n{attack.source if attack.control is None else attack.control}"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=tmp_path)
    if os.geteuid() != 0 and "Operation not permitted" in found.stderr:
        pytest.skip("only root can do this anywhere")
    assert "('won'" in found.stderr, found.stderr


def test_nothing_that_the_student_before_wrote_is_left_in_memory(inside):
    """A sandbox serves one student after the other, and a process has what the one it was forked from has freed."""
    search = f"{WON}WANTED = rb'the[ ]right[ ]rule'\n{SEARCHES_ITS_MEMORY}"
    patient = QUICK._replace(cell_seconds=8.0)
    running = inside()
    written = [f"x = {number}\n" * 200 for number in range(20)]
    assert run_cells(running, *written, "x = 'the right rule'") == [None] * 21
    assert running.alive
    assert run_cells(running, search, limits=patient) == [None]
    assert run_cells(running, f"kept = 'the ' + 'right rule'\n{search}", limits=patient)[0][0] == "won"


def test_there_are_enough_of_them_and_each_has_its_name():
    everything = [*FORGERIES, *EXHAUSTIONS, *BREAKS]
    assert len({each.name for each in everything}) == len(everything) >= 60
