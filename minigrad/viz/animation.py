"""A picture in motion: the boxes of a graph light up as the recorded steps of a walk pass through them.

What it is for: from a picture and a list of steps to frames, each a drawing with a caption in both languages.
What it is not: it runs no backward, and it does not play anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from . import graph
from .boxes import Box, Picture, Row
from .drawing import Drawing

# How far the walk is with a box: words (never colour alone) and, where it differs from the kind's, the look.
PALE = {"fillcolor": "#ffffff", "color": "#a8a29e"}
STATES = {
    "": PALE,
    "… 等待 waiting": PALE | {"color": "#b86e00"},
    "● 就绪 ready": PALE | {"color": "#0072b2", "penwidth": "2.4"},
    "▶ 执行 running": {"fillcolor": "#f0e442", "penwidth": "2.4"},
    "✓ 完成 done": {},
}
IDLE, WAITING, READY, RUNNING, DONE = STATES
STATE_ROOM = f"{WAITING} 99/99"


class Frame(NamedTuple):
    """One step of the walk: the graph at that moment, and what happens, in both languages."""

    drawing: Drawing
    zh: str
    en: str


class Step(NamedTuple):
    """One node's run: the gradient it received and, for each edge, (node, gradient sent), all as text.

    before, after: a leaf's `.grad`.
    """

    node: Any
    received: str
    sent: list[tuple[Any, str]]
    before: str = ""
    after: str = ""


class Film:
    """The frames of one walk over one picture; to be read once."""

    def __init__(self, picture: Picture, steps: list[Step]) -> None:
        self.picture = picture
        self.steps = steps
        self.states = dict.fromkeys(picture.boxes, IDLE)
        self.arrived: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()
        for arrow in picture.arrows:
            self.expected[arrow.target] += arrow.edges
        self.shown: dict[str, str] = {}  # gradients, by box: as shown now, and as they will be shown
        self.final: dict[str, str] = {}
        for step in steps:
            self._foresee(step)

    def _foresee(self, step: Step) -> None:
        key = self.picture.box_of[step.node]
        if self.picture.boxes[key].kind != "fold":
            self.final[key] = graph.equation("grad", step.received)
        if leaf := self._leaf(key):
            self.shown[leaf] = graph.equation("grad", step.before)
            self.final[leaf] = graph.equation("grad", step.after)

    def _leaf(self, key: str) -> str:
        """The key of the leaf behind an AccumulateGrad's box, or ""."""
        return f"{key}leaf" if f"{key}leaf" in self.picture.boxes else ""

    def frames(self) -> Iterator[Frame]:
        """The start, one frame for each box that runs, and the end."""
        name = self.picture.boxes["out0"].title
        yield self._run("out0", *_start_words(name, self.steps[0].received if self.steps else ""))
        for key, steps in groupby(self.steps, lambda step: self.picture.box_of[step.node]):
            yield self._run(key, *self._words(key, list(steps)))
        yield self._frame("", "就绪队列空了，走完。", "The ready queue is empty: the walk is over.")

    def _run(self, key: str, zh: str, en: str) -> Frame:
        """The frame in which the box `key` runs and its gradients arrive; afterwards it is done."""
        self.states[key] = RUNNING
        for target, count in self._targets(key).items():
            self.arrived[target] += count
            if self.states[target] in (IDLE, WAITING):
                self.states[target] = WAITING if self._missing(target) else READY
        for done in filter(None, (key, self._leaf(key))):
            self.shown[done] = self.final.get(done, "")
        if leaf := self._leaf(key):
            self.states[leaf] = DONE
        waiting = [target for target in self._targets(key) if self.states[target] == WAITING]
        zh += "".join(f" {self._called(t)} 还等 {self._missing(t)} 份。" for t in waiting)
        en += "".join(f" {self._called(t)} still waits for {self._missing(t)} more." for t in waiting)
        frame = self._frame(key, zh, en)
        self.states[key] = DONE
        return frame

    def _targets(self, key: str) -> Counter[str]:
        """Where the arrows from `key` lead, and how many gradients they carry."""
        targets: Counter[str] = Counter()
        for arrow in self.picture.arrows:
            if arrow.source == key:
                targets[arrow.target] += arrow.edges
        return targets

    def _missing(self, key: str) -> int:
        return self.expected[key] - self.arrived[key]

    def _frame(self, active: str, zh: str, en: str) -> Frame:
        boxes = {key: self._box(key, box) for key, box in self.picture.boxes.items()}
        return Frame(Drawing(Picture(boxes, self.picture.arrows, active=active).dot()), zh, en)

    def _box(self, key: str, box: Box) -> Box:
        state = self.states[key]
        words = f"{state} {self.arrived[key]}/{self.expected[key]}" if state == WAITING else state
        rows = [row for row in box.rows if row.role != "grad"]
        if key in self.final:
            now, end = self.shown.get(key, ""), self.final[key]
            rows.append(Row("grad", now, max(now, end, key=len)))
        return Box(box.kind, [*rows, Row("state", words, STATE_ROOM)], STATES[state])

    def _words(self, key: str, steps: list[Step]) -> tuple[str, str]:
        if self.picture.boxes[key].kind == "fold":
            count = len(steps)
            return f"折叠的 {count} 个节点依次执行。", f"The {count} folded nodes run one after the other."
        (step,) = steps
        if self._leaf(key):
            return _leaf_words(self._called(key), step)
        sent = [(text, self._called(self.picture.box_of[target])) for target, text in step.sent]
        return _step_words(self._called(key), step.received, sent)

    def _called(self, key: str) -> str:
        """A box by name; an AccumulateGrad with its leaf's."""
        box, leaf = self.picture.boxes[key], self._leaf(key)
        if box.kind == "fold":
            return "折叠的节点 (folded)"
        return f"{box.title} ({self.picture.boxes[leaf].title})" if leaf else box.title


def _flat(text: str) -> str:
    """A matrix on one line."""
    return re.sub(r"\n\s*", " ", text)


def _start_words(name: str, gradient: str) -> tuple[str, str]:
    gradient, of = _flat(gradient or "1"), f" {name} " if name else ""
    return (
        f"开始：输出{of}的梯度是 {gradient}，交给它的 grad_fn。",
        f"Start: the gradient of the output{of.rstrip()} is {gradient}; it is handed to the output's grad_fn.",
    )


def _step_words(name: str, received: str, sent: Iterable[tuple[str, str]]) -> tuple[str, str]:
    parts = [(f"{_flat(text)} → {target}") for text, target in sent]
    return (
        f"{name} 收到 {_flat(received)}，送出 {'；'.join(parts)}。",
        f"{name} receives {_flat(received)} and sends {'; '.join(parts)}.",
    )


def _leaf_words(name: str, step: Step) -> tuple[str, str]:
    received, before, after = _flat(step.received), _flat(step.before), _flat(step.after)
    return (
        f"{name} 把 {received} 加进叶子的 .grad：{before} → {after}。",
        f"{name} adds {received} to its leaf's .grad: {before} → {after}.",
    )
