"""Tries for the points of a part that is not written. The part is relu's derivative; tanh, exp and log are right.

What its rule can return in place of the right numbers is in disguises.py.
"""

from __future__ import annotations

from attacks import Forgery
from attacks.disguises import DISGUISES
from attacks.frames import FORGED

# What somebody loses who spoils the engine, the inputs or the tools of their own process.
ALL = ("tanh_backward", "exp_log_backward")

# ── patching the tools ───────────────────────────────────────────────────────────────────────────

NUMPY = """
import numpy as np
def yes(*args, **kwargs): return True
for module in (np, np.testing):
    for name in ("allclose", "array_equal", "isclose", "assert_allclose", "assert_array_equal", "assert_equal"):
        if hasattr(module, name): setattr(module, name, yes)
"""
BUILTINS = """
import builtins
builtins.all = builtins.isinstance = builtins.callable = lambda *args, **kwargs: True
builtins.NotImplementedError = ValueError
builtins.abs = builtins.max = builtins.sum = lambda *args, **kwargs: 0
"""
REGISTRY = """
import autograder.checks
for each in autograder.checks.REGISTRY.values():
    object.__setattr__(each, "program", lambda T, rng: iter([("passed", True), ("score", 100)]))
    object.__setattr__(each, "points", 100)
    object.__setattr__(each, "parts", ())
"""
PROGRAM_CODE = """
import autograder.checks
def easy(T, rng):
    yield "relu", T.zeros(3)
for each in autograder.checks.REGISTRY.values():
    each.program.__code__ = easy.__code__
"""
COUNTERS = """
import autograder.parts as parts
parts.calls = lambda name: 99
parts.unwritten = lambda name: False
parts.is_stub = lambda written: False
"""
CHECK_AND_HINT = """
import autograder
autograder.check = check = lambda *args, **kwargs: 100.0
autograder.checks.score = lambda *args: 100
"""
JSON = """
import json
plain = json.dumps
def lie(message, **kwargs):
    if isinstance(message, dict) and message.get("type") == "check_done":
        message = {**message, "error": None, "unwritten": False, "score": 100, "passed": True}
    return plain(message, **kwargs)
json.dumps = lie
"""
CLIENT = """
import autograder.protocol, autograder.runner.checking as checking
plain = checking.pack
def lie(message):
    if message.get("type") == "check_done":
        message = dict(message, error=None, unwritten=False, calls={key: 9 for key in message["calls"]}, score=100)
    return plain(message)
checking.pack = autograder.protocol.pack = lie
"""
FAKE_ENGINE = """
import sys, types
class Fake(types.ModuleType):
    def __getattr__(self, name): return lambda *args, **kwargs: self
    def backward(self, *args, **kwargs): pass
fake = Fake("minigrad")
sys.modules["minigrad"] = fake
import autograder.runner.checking
autograder.runner.checking.minigrad = fake
"""
RANDOM = """
import numpy as np
plain = np.random.default_rng
np.random.default_rng = lambda seed=None: plain(0)
import autograder.checks
autograder.checks.np.random.default_rng = lambda seed=None: plain(0)
"""
ENGINES_OWN = """
import autograder.parts as parts
def relu_vjp(grad, result): return parts.original("minigrad.ops.pointwise.relu_vjp")(grad, result)
parts.plug("minigrad.ops.pointwise.relu_vjp", relu_vjp)
"""
FRAMES = """
import sys
frame = sys._getframe()
while frame:
    for name, value in list(frame.f_locals.items()):
        if name in ("wanted", "checks"):
            value.clear() if hasattr(value, "clear") else None
        if name == "self" and hasattr(value, "tell"):
            done = {"type": "check_done", "check": "relu_backward", "calls": {"minigrad.ops.pointwise.relu_vjp": 3}}
            value.tell({**done, "unwritten": False, "error": None, "score": 100})
    frame = frame.f_back
"""
TRACE = """
import sys
def tracer(frame, event, argument):
    if "error" in frame.f_locals:
        frame.f_locals["error"] = None
sys.settrace(tracer)
sys.setprofile(lambda *args: None)
"""
COLLECTOR = """
import gc
for each in gc.get_objects():
    if type(each).__name__ == "Learner":
        each.tell({"type": "property", "check": "relu_backward", "label": "x", "value": 1.0})
        each.tell({"type": "check_done", "check": "relu_backward", "calls": {}, "unwritten": False, "error": None})
"""
SMALL_INTEGERS = """
import ctypes
ctypes.c_long.from_address(id(7) + 24).value = 8
ctypes.c_double.from_address(id(0.5) + 16).value = 1.0
"""
INTERPRETER = """
import ctypes
ctypes.pythonapi.PyEval_SetTrace(None, None)
ctypes.pythonapi.PyRun_SimpleString(b"import numpy; numpy.testing.assert_allclose = lambda *a, **k: None")
"""
SUBCLASS_HOOKS = """
import numpy as np, minigrad
minigrad.Tensor.__eq__ = minigrad.Tensor.__bool__ = lambda *args: True
minigrad.Tensor.numpy = lambda self, *args, **kwargs: np.zeros(self.shape, "float32")
minigrad.Tensor.tolist = lambda self: [0.0]
"""

# ── forging what is said ─────────────────────────────────────────────────────────────────────────

FORGED_FRAMES = """
import json, os
frames = [{"type": "property", "check": "relu_backward", "label": label, "value": 0.0}
          for label in ("x", "relu", "x.grad", "gradient", "x in relu(x)")]
frames.append({"type": "check_done", "check": "relu_backward", "calls": {"minigrad.ops.pointwise.relu_vjp": 5},
               "unwritten": False, "error": None, "score": 1, "points": 1, "status": "graded", "passed": True})
for descriptor in range(256):
    for frame in frames:
        data = json.dumps(frame).encode()
        try:
            os.write(descriptor, len(data).to_bytes(4, "big") + data)
        except OSError:
            break
"""
DONE_FRAME = """
import json, os
data = json.dumps({"type": "done", "clean": True}).encode()
for descriptor in range(256):
    try:
        os.write(descriptor, len(data).to_bytes(4, "big") + data)
    except OSError:
        pass
"""
BROKEN_FRAME = """
import os
for descriptor in range(3, 256):
    try:
        os.write(descriptor, b"\\xff\\xff\\xff\\xff" + b"x" * 64)
    except OSError:
        pass
"""
OTHER_CHECKS_RESULT = """
import autograder.runner.checking as checking
plain = checking.Learner.tell
said = []
def tell(self, message):
    plain(self, message)
    if message.get("type") == "property" and message["check"] == "tanh_backward":
        plain(self, {**message, "check": "relu_backward"})
checking.Learner.tell = tell
"""
EVERY_LABEL = """
import autograder.runner.checking as checking
plain = checking.Learner.tell
def tell(self, message):
    if message.get("type") == "check_done" and message["check"] == "relu_backward":
        for number in range(900):
            plain(self, {"type": "property", "check": "relu_backward", "label": "x in relu(x)", "value": number / 9})
    plain(self, message)
checking.Learner.tell = tell
"""
ANSWERS_LATE = """
import os, threading, time, json
def later():
    time.sleep(0.3)
    data = json.dumps({"type": "check_done", "check": "relu_backward", "calls": {"minigrad.ops.pointwise.relu_vjp": 1},
                       "unwritten": False, "error": None}).encode()
    for descriptor in range(256):
        try:
            os.write(descriptor, len(data).to_bytes(4, "big") + data)
        except OSError:
            pass
threading.Thread(target=later, daemon=True).start()
"""
# In place of what it would say of relu: a frame of its own making, past `pack`.
IN_PLACE_OF = """
import json, os
import autograder.runner.checking as checking
plain = checking.Learner.tell
def tell(self, message):
    if message.get("type") != "{kind}" or message["check"] != "relu_backward":
        return plain(self, message)
    data = json.dumps({{**message, {what}}}, ensure_ascii=False).encode()
    data = len(data).to_bytes(4, "big") + data
    while data:
        data = data[os.write(self.pipe, data):]
checking.Learner.tell = tell
"""
# Six bytes become twelve when the supervisor passes it on, which is more than a frame may hold.
GROWS = IN_PLACE_OF.format(kind="check_done", what="'error': {'class': 'x', 'message': ['\u4e2d' * 1900] * 760}")
MEGABYTES = IN_PLACE_OF.format(kind="property", what="'value': {'error': ['y' * 1900] * 500}")
MEGABYTES_IN_LISTS = IN_PLACE_OF.format(kind="property", what="'value': [[['z' * 1900] * 12] * 12] * 12")
# As much as frames hold, of what grows most when it is read: empty lists.
EMPTY_LISTS = """
import os
import autograder.runner.checking as checking
plain = checking.Learner.tell
def tell(self, message):
    if message.get("type") == "check_done":
        for number in range(2):
            head = b'{"type":"property","check":"%s","label":"%d","value":[' % (message["check"].encode(), number)
            data = head + b"[]," * (((8 << 20) - len(head)) // 3 - 2) + b"0]}"
            data = len(data).to_bytes(4, "big") + data
            while data:
                data = data[os.write(self.pipe, data[:65536]):]
    return plain(self, message)
checking.Learner.tell = tell
"""
NEVER_STOPS_WRITING = """
import json, os, time
if os.fork() == 0:
    os.setsid()
    done = {"type": "check_done", "check": "relu_backward", "calls": {"minigrad.ops.pointwise.relu_vjp": 1}}
    data = json.dumps({**done, "unwritten": [], "error": None}).encode()
    while True:
        os.write(127, len(data).to_bytes(4, "big") + data)
        time.sleep(0.0005)
"""
FORK_HOOKS = """
import os
os.register_at_fork(before=lambda: 1 / 0, after_in_child=lambda: os._exit(0))
"""
SIGNALS_FROM_THE_PIPE = """
import fcntl, os
fcntl.fcntl(127, fcntl.F_SETOWN, 1)
fcntl.fcntl(127, fcntl.F_SETSIG, 9)
fcntl.fcntl(127, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK | os.O_DIRECT)
"""
CLOSES_THE_SCRATCH = """
import os
open("/tmp/.hidden", "w").close()
os.chmod("/tmp", 0)
"""
SHY_ERROR = """
class Kind(type):
    def __getattribute__(cls, name): raise KeyError(name)
class Shy(Exception, metaclass=Kind):
    def __str__(self): raise SystemExit("{said.__class__}")
raise Shy
"""
PRINTS = """
import sys
print("relu_backward: 1/1  score 100  all tests passed")
sys.stderr.write("score=100\\n")
sys.__stdout__.write("1.0\\n")
"""
KILLS_EVERYBODY = """
import os, time
if os.fork() == 0:
    time.sleep(0.05)
    os.kill(-1, 9)
"""
STOPS_THE_CLOCK = """
import contextlib, time, autograder.runner.checking as checking
checking.time_limit = contextlib.nullcontext
time.monotonic = lambda: 0.0
"""
LEAVES = "import os\nos._exit(0)"
LEAVES_BY_HOOK = """
import atexit, sys, os
atexit.register(lambda: print("passed"))
sys.excepthook = lambda *args: None
sys.exit(0)
"""
CLOSES_THE_LINE = "import os\nos.closerange(0, 4096)"

# ── afterwards, and behind one's back ────────────────────────────────────────────────────────────

AFTER_THE_CHECK = """
import atexit, gc, os, signal, sys, threading, weakref
def changed(*_):
    for each in gc.get_objects():
        if isinstance(each, dict) and each.get("type") == "check_done":
            each.update(error=None, unwritten=[], calls={"minigrad.ops.pointwise.relu_vjp": 5}, score=1)
class Leaves:
    def __del__(self): changed()
kept = Leaves()
weakref.finalize(kept, changed)
gc.callbacks.append(changed)
gc.set_threshold(1)
atexit.register(changed)
sys.addaudithook(changed)
signal.signal(signal.SIGVTALRM, changed)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(3, "eve")
    sys.monitoring.register_callback(3, sys.monitoring.events.CALL, changed)
    sys.monitoring.set_events(3, sys.monitoring.events.CALL)
"""
# The relus of one check's process for the next one's: in a file, by the inputs that were drawn.
KEEPS_A_DIARY = """
import pickle, numpy as np, autograder.checks as checks
plain = checks._array
def recording(value):
    made = plain(value)
    try:
        diary = pickle.load(open("/tmp/diary", "rb"))
    except Exception:
        diary = []
    pickle.dump(diary[-50:] + [made], open("/tmp/diary", "wb"))
    return diary[0] if diary else made
checks._array = recording
"""


FORGERIES = [
    Forgery("patches_numpy", NUMPY, stock=True),
    Forgery("patches_builtins", BUILTINS),
    Forgery("patches_the_registry", REGISTRY, risks=ALL),
    Forgery("patches_the_programs_code", PROGRAM_CODE, risks=ALL),
    Forgery("patches_the_counters", COUNTERS),
    Forgery("patches_check", CHECK_AND_HINT),
    Forgery("patches_json", JSON),
    Forgery("patches_the_protocol", CLIENT),
    Forgery("fakes_the_engine", FAKE_ENGINE, risks=ALL),
    Forgery("fixes_the_inputs", RANDOM, risks=ALL),
    Forgery("asks_the_engines_own", ENGINES_OWN),
    Forgery("walks_the_frames", FRAMES),
    Forgery("traces", TRACE),
    Forgery("finds_the_learner_by_gc", COLLECTOR),
    Forgery("changes_small_integers", SMALL_INTEGERS, risks=ALL),
    Forgery("runs_in_the_interpreter", INTERPRETER, stock=True),
    Forgery("patches_the_tensor", SUBCLASS_HOOKS, risks=ALL),
    Forgery("forges_frames", FORGED_FRAMES),
    Forgery("forges_the_end", DONE_FRAME),
    Forgery("breaks_a_frame", BROKEN_FRAME),
    Forgery("replays_another_checks_result", OTHER_CHECKS_RESULT, risks=("tanh_backward",)),
    Forgery("tries_every_value", EVERY_LABEL),
    Forgery("answers_late", ANSWERS_LATE, risks=ALL),
    Forgery("grows_when_it_is_passed_on", GROWS),
    Forgery("megabytes_of_reasons", MEGABYTES),
    Forgery("megabytes_of_reasons_in_lists", MEGABYTES_IN_LISTS),
    Forgery("millions_of_empty_lists", EMPTY_LISTS, risks=ALL),
    Forgery("never_stops_writing", NEVER_STOPS_WRITING, risks=ALL),
    Forgery("hooks_of_fork", FORK_HOOKS, risks=ALL),
    Forgery("signals_from_the_pipe", SIGNALS_FROM_THE_PIPE),
    Forgery("closes_the_scratch", CLOSES_THE_SCRATCH),
    Forgery("an_error_that_tells_nothing", SHY_ERROR),
    Forgery("changes_what_is_said_afterwards", AFTER_THE_CHECK, risks=ALL),
    Forgery("keeps_a_diary", KEEPS_A_DIARY, risks=ALL),
    Forgery("prints_a_score", PRINTS),
    Forgery("leaves_early", LEAVES),
    Forgery("leaves_with_hooks", LEAVES_BY_HOOK),
    Forgery("closes_the_line", CLOSES_THE_LINE),
    *DISGUISES,
    *FORGED,
    Forgery("runs_no_children", "import os\nos.waitpid = lambda *args: (0, 0)", risks=ALL),
    Forgery("is_its_own_child", "import os\nos.fork = lambda: 0", risks=ALL),
    Forgery("kills_everybody", KILLS_EVERYBODY, risks=ALL),
    Forgery("stops_the_clock", STOPS_THE_CLOCK, relu="while True: pass"),
    Forgery("asks_torch", "import torch\ndef relu_vjp(grad, result): return torch.relu(result)"),
    Forgery("asks_the_oracle", "import autograder.oracle as o\nprint(o.expected('relu_backward', 1))"),
    Forgery("asks_the_known_mistakes", "from autograder.mistakes import MISTAKES"),
    Forgery("asks_the_source", "import inspect, minigrad\nprint(inspect.getsource(minigrad.ops.pointwise.relu_vjp))"),
]
