"""Draws the graphs that the documents show, into docs/images; with --check it only compares.

What is compared is the graph (its DOT text, whose fingerprint each file carries), not the lines of the picture: another
version of Graphviz draws the same graph a little differently, and that is no reason to draw it anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import minigrad
from minigrad import viz

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def journey(walked: bool) -> viz.Drawing:
    """The graph that docs/engine.md follows from end to end, before or after the walk."""
    w = minigrad.tensor([2.0, 3.0], requires_grad=True)
    x = minigrad.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = w * x
    loss = (y * y).sum()
    if walked:
        y.retain_grad()
        loss.backward()
    return viz.draw(loss, {"w": w, "x": x, "y": y, "loss": loss})


PICTURES: dict[str, Callable[[], viz.Drawing]] = {
    "engine_before.svg": lambda: journey(walked=False),
    "engine_after.svg": lambda: journey(walked=True),
}


def fingerprint(drawing: viz.Drawing) -> str:
    """The last line of a picture's file: what graph it shows."""
    return f"<!-- graph {sha256(drawing.dot.encode()).hexdigest()[:16]} -->\n"


def main() -> int:
    """Draw what is not current, or say so."""
    stale = []
    for name, draw in PICTURES.items():
        path, drawing = IMAGES / name, draw()
        if path.exists() and path.read_text(encoding="utf-8").endswith(fingerprint(drawing)):
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            drawing.save(path)
            path.write_text(path.read_text(encoding="utf-8") + fingerprint(drawing), encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
