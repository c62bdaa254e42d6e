"""Attacks on the grader, as data: what a submission may hold, and what it must not gain.

    disguises.py    what the rule itself returns or does in place of the right numbers
    scores.py       a score for a part that is not written: patched tools, forged frames
    frames.py       frames that are malformed, out of order, or not what they seem
    walls.py        the host: its files, its processes, its kernel, its network
    exhaustion.py   time, memory, processes, disk, the grader's own patience
    folders.py      what may lie in submitted/
    notebooks.py    the submitted file itself: metadata, ids, cell types, outputs, names

One attack is one entry; tests/test_attacks.py runs them all in the real sandbox, each with an honest neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Forgery:
    """A try for a score. `beside` is a cell in front of the parts, `relu` the body of the part that is not written.

    stock: the same cells earn full marks where the test runs in the student's own process, as in plain nbgrader.
    risks: the points honestly earned that the attacker may lose, by spoiling their own process.
    """

    name: str
    beside: str = ""
    relu: str = "raise NotImplementedError"
    stock: bool = False
    risks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Break:
    """A try to get at the host: `source` calls `won(...)` if it succeeds. It knows SECRET, FOLDER, PORT, NAME, PID.

    control: the source that succeeds in a process without a sandbox; None: the same source; "" where to try it there
    would harm the machine, or where the goal exists only inside.
    """

    name: str
    source: str
    control: str | None = None
