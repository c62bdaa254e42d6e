"""A learner's cells at grading: run one by one as a notebook would; each error has its line and costs its cell."""

import time

import pytest
from sandbox_tools import QUICK, job, run_cells

import minigrad
from autograder import checks
from autograder.runner.cells import fault
from autograder.sandbox import Unsafe

pytestmark = pytest.mark.sandbox


def errors(running, *sources):
    """Each cell's error frame."""
    frames = list(running.frames(job(sources), QUICK.job_seconds))
    return [frame["error"] for frame in frames if frame["type"] == "cell"]


def test_cells_share_one_namespace_and_errors_do_not_stop_the_next(running):
    source = "answer((x, __name__, __import__('__main__').x, y))"
    assert run_cells(running, "x = 1", "y = 2\nx / 0\ny = 3", "x += 1", source) == [
        None,
        ("ZeroDivisionError", "division by zero"),
        None,
        (2, "__main__", 2, 2),
    ]


def test_an_error_names_the_learners_line(running):
    found = errors(running, "def f():\n    return 1 / 0", "\n\nf()", "def g(:", "import json\njson.loads('{')")
    assert [(e and e["cell"], e and e["line"]) for e in found] == [
        (None, None),
        ("c0", 2),
        ("c2", 1),
        ("c3", 2),
    ]
    assert found[1]["traceback_short"].splitlines() == ["c1:3 <module>", "c0:2 f"]
    assert found[2]["class"] == "SyntaxError"


def test_the_source_of_a_learners_function_can_be_read(running):
    assert run_cells(running, "import inspect\ndef f(x):\n    return x\nanswer(inspect.getsource(f))") == [
        "def f(x):\n    return x\n"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\nx = 1",
        "%%time\nx = 1",
        "%%capture out\nx = 1",
        "!pip install torch\nx = 1",
        "x = 1\nprint?",
        "x = 1\n?print\n%timeit x",
        "if True:\n    %time y = 2\nx = 1",
        "def f():\n    !ls\n    return 1\nx = f()",
        "%precision 3\nx = (7\n  % 2)\ny = '''\n%s\n!'''\nx = x if y[1:3] == '%s' else 0",
    ],
)
def test_magics_and_shell_lines_that_the_rest_does_not_need_are_left_out(running, source):
    assert run_cells(running, source, "answer(x)") == [None, 1]


def test_beside_another_slip_it_is_the_slip_that_is_named(running):
    (error,) = errors(running, "x = (1\n\n%timeit x\n")
    assert (error["class"], error["line"]) == ("SyntaxError", 1)


def test_what_is_left_out_moves_no_line(running):
    (error,) = errors(running, "%matplotlib inline\n\n!ls\n1 / 0")
    assert (error["class"], error["line"]) == ("ZeroDivisionError", 4)


@pytest.mark.parametrize("line", ["x = !ls", "%%bash\nls", "x = %pwd", "a, b = !ls"])
def test_magics_and_shell_lines_are_named(running, line):
    (error,) = errors(running, f"x = 1\n{line}")
    assert (error["class"], error["message"], error["line"]) == ("MagicNotRun", line.split("\n")[0], 2)


@pytest.mark.parametrize("source", ["x = 7\\\n % 4", "y = 'a' != 'b'", "'%d' % 3"])
def test_a_remainder_is_no_magic(running, source):
    assert errors(running, source) == [None]


def test_what_only_a_notebook_has(running):
    outcomes = run_cells(
        running, "input('name? ')", "ip = get_ipython()\nip.run_line_magic('x', '')\nip.x", "display(3)\nanswer(1)"
    )
    assert outcomes[0] == ("InputNotThere", "input('name? ')")
    assert outcomes[1] is None
    assert outcomes[2] == 1


def test_checks_inside_cells_do_nothing(running):
    assert run_cells(running, "from autograder import check, hint, implements\ncheck('sgd_step')\nhint('x')") == [None]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import sys; sys.exit(0)", "SystemExit"),
        ("raise BaseException('x')", "BaseException"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): raise self\nraise E", "E"),
        ("class E(Exception):\n    def __str__(self): return 3\nraise E", "E"),
        ("raise type('x' * 9999, (Exception,), {})('y' * 99999)", "x" * 99 + "…"),
        ("raise Exception('\\ud800')", "Exception"),
        ("raise ExceptionGroup('x', [ValueError()])", "ExceptionGroup"),
        ("while True: pass", "TimeLimit"),
        ("while True:\n    try:\n        while True: pass\n    except Exception: pass", "TimeLimit"),
        ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "TimeLimit"),
        ("import time; time.sleep(99)", "TimeLimit"),
    ],
)
def test_an_odd_error_is_an_error(running, source, expected):
    (error, after) = errors(running, source, "1")
    assert error["class"] == expected
    assert after is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os; os._exit(0)", ("Crash", "it ended its own process")),
        ("import os; os._exit(7)", ("Crash", "it ended its own process")),
        ("import os; os.kill(os.getpid(), 9)", ("Crash", "it was ended by SIGKILL")),
        ("import os; os.abort()", ("Crash", "it was ended by SIGABRT")),
        ("import ctypes; ctypes.string_at(0)", ("Crash", "it was ended by SIGSEGV")),
        ("import os; os.closerange(0, 300)", ("Crash", "it closed the line to the grader")),
        ("sum(range(10**13))", ("TimeLimit", "it could not be interrupted")),
        (
            "import os, signal; signal.signal(signal.SIGALRM, signal.SIG_IGN); os.read(os.pipe()[0], 1)",
            ("TimeLimit",),
        ),
        (
            "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)); signal.pause()",
            ("TimeLimit",),
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_cell_that_takes_the_process_with_it_costs_itself_only(running, source, expected):
    """A fresh process executes the other cells; what they defined is there again."""
    before, outcome, after = run_cells(running, "x = 41", source, "answer(x + 1)")
    assert (before, outcome[: len(expected)], after) == (None, expected, 42)
    assert not running.alive


def test_threads_that_outlive_their_cell_do_not_hang_the_job(running):
    source = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"
    assert run_cells(running, source, "answer('next')") == [None, "next"]


def test_without_a_sandbox_all_this_holds_too(kit):
    """Accidents cost the cell they happen in; only attacks are not kept in."""
    with Unsafe(kit, QUICK).start() as running:
        sources = [
            "x = 41",
            "import os; os._exit(3)",
            "while True: pass",
            "x = !ls",
            "bytearray(10 << 30)",
            "answer(x + 1)",
        ]
        outcomes = run_cells(running, *sources)
    assert [each and each[0] for each in outcomes[:-1]] == [
        None,
        "Crash",
        "TimeLimit",
        "MagicNotRun",
        "MemoryError",
    ]
    assert outcomes[-1] == 42


def test_the_whole_submission_is_bounded_too(sandbox):
    limits = QUICK._replace(job_seconds=1.0, cell_seconds=60.0)
    with sandbox.start() as running:
        outcomes = run_cells(running, "while True: pass", limits=limits)
    assert outcomes[0][0] == "TimeLimit"


@pytest.mark.parametrize(
    "noise",
    [
        "b'\\0' * 64",
        "b'\\xff' * 64",
        "(9 << 20).to_bytes(4, 'big')",
        "frame({'type': 'done', 'clean': True})",
        "frame({'type': 'end'}) + frame({'type': 'starts', 'cell': 'c9'})",
        "frame({'type': 'check_done', 'check': 'x', 'calls': {}, 'unwritten': False, 'error': None})",
        "frame({'type': 'cell', 'id': ['x'], 'error': None})",
        "frame([1])",
        "b'\\0\\1\\0\\0' + b'[' * 65536",
    ],
)
def test_nonsense_on_the_line_costs_the_cell_that_wrote_it(running, noise):
    source = f"""
import json, os
def frame(message):
    payload = json.dumps(message).encode()
    return len(payload).to_bytes(4, "big") + payload
for number in range(3, 256):
    try:
        os.write(number, {noise})
    except OSError:
        pass
import time
time.sleep(0.2)
"""
    before, outcome, after = run_cells(running, "x = 1", source, "answer(x)")
    assert before is None
    assert outcome[0] == "ProtocolError"
    assert after == 1


def test_who_blames_another_cell_gains_no_time(running):
    """The other is left out from then on, so the process was started anew until the submission's time was up."""
    source = """
import json, os, time
for message in ({"type": "starts", "cell": "c2"}, {"type": "end"}):
    payload = json.dumps(message).encode()
    for number in range(3, 256):
        try:
            os.write(number, len(payload).to_bytes(4, "big") + payload)
        except OSError:
            pass
time.sleep(0.5)
"""
    began = time.monotonic()
    assert [each[0] for each in run_cells(running, source, "x = 1")] == ["ProtocolError", "ProtocolError"]
    assert time.monotonic() - began < QUICK.job_seconds / 2


def refusal_of_the_engine():
    return minigrad.ones(2) ^ minigrad.ones(2)


def stub():
    raise NotImplementedError


@pytest.mark.parametrize(
    ("raising", "reported"), [(stub, "NotWritten"), (refusal_of_the_engine, "NotImplementedError")]
)
def test_what_the_engine_cannot_do_is_not_reported_as_unwritten(raising, reported):
    with pytest.raises(NotImplementedError) as caught:
        raising()
    assert fault(caught.value)["class"] == reported
    assert checks.fault(caught.value)["class"] == reported
