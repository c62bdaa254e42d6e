"""Ctrl-C that strikes in a finalizer, or in a callback of the garbage collector, stops a run all the same."""

import signal
import subprocess
import sys
import threading

import pytest
from project_files import ROOT

from autograder.ctrl_c import heard

LOST = """
import gc, signal, sys
from autograder.ctrl_c import heard

class Left:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job hears no Ctrl-C
with heard() as asked_to_stop:
    asked_to_stop()
    {strikes}
    print("goes on")
    try:
        asked_to_stop()
    except KeyboardInterrupt:
        print("heard")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, sys.unraisablehook is sys.__unraisablehook__)
"""
STRIKES = {
    "finalizer": "Left()",
    "collector": "gc.callbacks.append(lambda *_: signal.raise_signal(signal.SIGINT)); gc.collect(); gc.callbacks.clear()",
}


@pytest.mark.parametrize("strikes", STRIKES)
def test_what_is_lost_on_the_way_is_heard_when_asked(strikes):
    program = LOST.format(strikes=STRIKES[strikes])
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("goes on\nheard\nTrue True\n", "", 0)


def test_it_is_raised_at_once_where_it_can_be():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), heard():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_nothing_is_changed_where_there_is_nothing_to_hear():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with heard() as asked_to_stop:
            signal.raise_signal(signal.SIGINT)
            asked_to_stop()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    found = []

    def elsewhere():
        with heard() as asked_to_stop:
            asked_to_stop()
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [before]
