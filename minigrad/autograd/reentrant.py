"""Reentrant walks, one inside another: before Python's stack is full, the next one goes on in a thread of its own.

A hook or a Function's backward may start a walk, and what runs in that one may start another. Each takes its share of
the calling thread's stack; torch, too, moves to a new thread after so many of them. The caller waits, so that there is
still only one walk at a time, and the modes of its thread hold in the new one.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from contextlib import ExitStack
from threading import get_ident
from typing import Any

from . import anomaly
from .grad_mode import inference_mode, is_grad_enabled, is_inference_mode_enabled, set_grad_enabled
from .recording import recording_rules


def in_new_thread(call: Callable[[], Any]) -> Any:
    """call(), in another thread with this one's modes: its result, or its error."""
    outcome: list[tuple[Any, BaseException | None]] = []
    enter = modes()

    def work() -> None:
        try:
            with ExitStack() as stack:
                enter(stack)
                outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join()
    result, error = outcome.pop()
    if error is not None:
        raise error
    return result


def modes() -> Callable[[ExitStack], None]:
    """What makes another thread record, infer, apply rules and pack saved tensors as this one does, until the stack is
    unwound."""
    from . import slicing  # which builds on this module
    from .saved import hooks_in_use, saved_tensors_hooks  # which few programs need

    me = get_ident()
    recorded, inferred, ruled, pairs = (
        is_grad_enabled(),
        is_inference_mode_enabled(),
        me in recording_rules,
        hooks_in_use(),
    )
    slices, running = slicing.get(me), anomaly.running.get(me)

    def enter(stack: ExitStack) -> None:
        me = get_ident()
        if inferred:
            stack.enter_context(inference_mode())
        stack.enter_context(set_grad_enabled(recorded))
        for pack, unpack in pairs:
            stack.enter_context(saved_tensors_hooks(pack, unpack))
        if ruled:
            recording_rules.add(me)
            stack.callback(recording_rules.discard, me)
        if slices is not None:
            slicing[me] = slices
            stack.callback(slicing.pop, me)
        if running is not None:
            anomaly.running[me] = running
            stack.callback(anomaly.running.pop, me, None)

    return enter
