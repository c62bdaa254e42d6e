"""Programs that use up what others need. They gain nothing; what counts is that the class is graded all the same."""

from __future__ import annotations

from attacks import Forgery

SWALLOWS = """
while True:
    try:
        while True: pass
    except BaseException:
        pass
"""
BLOCKS_SIGNALS = """
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
while True: pass
"""
THREADS = """
import threading, time
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        time.sleep(0.01)
"""
FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
ORPHANS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
"""
FILES = """
number = 0
while True:
    open(f"/tmp/{number}", "w").write("x")
    number += 1
"""
DISK = """
import os
with open("/tmp/hole", "wb") as file: file.truncate(1 << 50)
"""
FILLS = """
while True:
    with open("/tmp/all", "ab") as file: file.write(bytes(1 << 20))
"""
FLOOD = """
import sys
while True: print("x" * (1 << 16)); sys.stderr.write("y" * (1 << 16))
"""
MANY_HOGS = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        break
kept = b"x" * (700 << 20)
while True:
    time.sleep(0.05)
"""
ZIP_BOMB = """
import zlib
packed = zlib.compress(bytes(1 << 26))
kept = []
while True: kept.append(zlib.decompress(packed))
"""
REGEX = "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')"
BIG_NUMBER = "x = 9 ** 9 ** 9"
BIG_STRING = "int('9' * 4000) and '9' * (1 << 40)"
DEEP = "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)"
SLEEPS = "import time\nwhile True: time.sleep(1)"
STOPS_ITSELF = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
LOCKS = "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"
CRASHES = "import ctypes\nctypes.string_at(0)"
BAD_GC = """
import gc
class Bomb:
    def __del__(self):
        while True: pass
bomb = Bomb()
bomb.me = bomb
del bomb
gc.collect()
"""
HUGE_ANSWER = """
import numpy as np, minigrad
plain = minigrad.Tensor.numpy
minigrad.Tensor.numpy = lambda self, *args, **kwargs: np.zeros((3000, 3000))
"""

EXHAUSTIONS = [
    Forgery("endless_loop", "while True: pass"),
    Forgery("endless_loop_that_swallows", SWALLOWS),
    Forgery("endless_loop_without_signals", BLOCKS_SIGNALS),
    Forgery("sleeps", SLEEPS),
    Forgery("stops_itself", STOPS_ITSELF),
    Forgery("waits_for_itself", LOCKS),
    Forgery("fork_bomb", FORKS, risks=("tanh_backward", "exp_log_backward")),
    Forgery("thread_bomb", THREADS, risks=("tanh_backward", "exp_log_backward")),
    Forgery("leaves_orphans", ORPHANS),
    Forgery("ten_gigabytes", "x = bytearray(10 << 30)"),
    Forgery("many_memory_hogs", MANY_HOGS),
    Forgery("zip_bomb", ZIP_BOMB),
    Forgery("many_files", FILES),
    Forgery("a_hole_of_a_petabyte", DISK),
    Forgery("fills_the_scratch", FILLS),
    Forgery("floods_the_output", FLOOD),
    Forgery("catastrophic_pattern", REGEX),
    Forgery("a_number_without_end", BIG_NUMBER),
    Forgery("a_string_without_end", BIG_STRING),
    Forgery("recursion", DEEP),
    Forgery("null_pointer", CRASHES),
    Forgery("collector_that_never_ends", BAD_GC),
    Forgery("answers_a_gigabyte", HUGE_ANSWER, risks=("tanh_backward", "exp_log_backward")),
    Forgery("endless_in_the_part", relu="while True: pass"),
    Forgery("memory_in_the_part", relu="return np.zeros(10**10)"),
    Forgery("recursion_in_the_part", relu="return relu_vjp(grad, result)"),
]
