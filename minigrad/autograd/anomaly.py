"""Anomaly detection: an error in backward also says which line of the forward pass it belongs to.

While it is on, every new node remembers the user's stack at its making, and the walk refuses NaN. It slows everything
down and is for finding errors only.
"""

from __future__ import annotations

import os
import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ..backend import array_module
from ..errors import ANOMALY_ENABLED, ENABLE_ANOMALY, check_bool, warn
from .graph import Node
from .hooks import extras_of
from .recording import observers

if TYPE_CHECKING:
    from traceback import FrameSummary

ENABLED_WARNING = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
RUNS_PROGRAMS = PACKAGE + "named_torch.py"


class _Mode:
    """What is switched on, for the whole process as in torch."""

    enabled = False
    check_nan = True


mode = _Mode()
running: dict[int, Node] = {}  # by thread: the node whose rule runs just now; empty while the mode is off


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off; check_nan: whether a NaN in backward is an error."""
    check_bool("set_anomaly_enabled", "enabled", 1, enabled)
    check_bool("set_anomaly_enabled", "check_nan", 2, check_nan)
    if enabled and not mode.enabled:
        observers.append(remember_forward)
    if mode.enabled and not enabled:
        observers.remove(remember_forward)
    mode.enabled, mode.check_nan = enabled, check_nan


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return mode.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection, when on, refuses NaN."""
    return mode.check_nan


class set_detect_anomaly:
    """Anomaly detection on or off: at once when called as a function, until the end of the block in a `with`."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        """Already on."""

    def __exit__(self, *exception: object) -> None:
        set_anomaly_enabled(*self.before)


class detect_anomaly:
    """Inside the block errors of backward print the traceback of the forward call, and NaN is an error.

    Example: with detect_anomaly(): torch.tensor(0., requires_grad=True).sqrt().mul(0).backward() → RuntimeError:
    Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self.check_nan = check_nan
        warn(ENABLED_WARNING)

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exception: object) -> None:
        set_anomaly_enabled(*self.before)


# ------------------------------------------------------------------ while it is on


def hint() -> str:
    """How to find out what has written to a saved value: look above, or switch the mode on."""
    return ANOMALY_ENABLED if mode.enabled else ENABLE_ANOMALY


def remember_forward(node: Node) -> None:
    """Keep with a new node the stack at its making, and the node whose backward is running just now, if any."""
    extras_of(node).trace = (users_stack(), running.get(get_ident()))


def users_stack() -> str:
    """The stack, formatted, without our own frames at its end."""
    import traceback  # only while the mode is on

    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return "".join(traceback.format_list(of_program(traceback.extract_stack(frame))))


def of_program(stack: list[FrameSummary]) -> list[FrameSummary]:
    """A stack without what stands above a program that `python -m minigrad` runs."""
    for i, entry in enumerate(stack):
        if entry.filename == RUNS_PROGRAMS:
            return [below for below in stack[i + 1 :] if below.filename != "<frozen runpy>"]
    return stack


def refuse_nan(node: Node, results: Any) -> None:
    """RuntimeError if a node has made NaN; results: arrays or Tensors, None where no gradient is wanted."""
    for index, result in enumerate(results):
        array = getattr(result, "_data", result)
        if array is not None and array.dtype.kind == "f" and array_module(array).isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")


def say(message: str) -> None:
    """Warn; where warnings are errors, write to stderr, for it must not take the place of the error it explains."""
    try:
        warn(message)
    except UserWarning as warning:
        sys.stderr.write(f"{type(warning).__name__}: {warning}\n")


def tell_forward(node: Node) -> None:
    """Warn with the forward call of a node whose backward has failed, and with the calls that led to that one."""
    said, what = f"Error detected in {node.name()}. ", "caused the error"
    while True:
        trace = None if node.extras is None else node.extras.trace
        if trace is None:
            said += (
                "No forward pass information available. Enable detect anomaly during forward pass for more information."
            )
            say(said)
            return
        stack, parent = trace
        say(f"{said}Traceback of forward call that {what}:\n{stack}")
        if parent is None:
            return
        node, what = parent, "induced the previous calculation"
        said = f"\n\nPrevious calculation was induced by {node.name()}. "
