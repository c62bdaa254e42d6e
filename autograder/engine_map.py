"""The map of the engine with the learner's parts in it: which are theirs, and how often each has run.

One box a module, in the order in which data meets them on the way forward and back; in it one tile a part that some
lesson lets a learner write. It looks at what is plugged in now; it loads nothing (workspace.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from autograder import parts, workspace
from autograder.messages import Text, text
from autograder.show import SIGNS

# The station of a module on the way of the data. A module that is not listed goes where its parts were taught.
_STAGES: list[tuple[Text, tuple[str, ...]]] = [
    (Text("张量", "tensors"), ("minigrad.tensor", "minigrad.backend", "minigrad.creation")),
    (Text("运算与局部导数", "ops and local derivatives"), ("minigrad.ops", "minigrad.nn")),
    (Text("记录计算图", "recording the graph"), ("minigrad.autograd.graph", "minigrad.autograd.function")),
    (Text("反向的行走", "the walk back"), ("minigrad.autograd",)),
    (Text("更新权重", "updating the weights"), ("minigrad.optim",)),
    (Text("练习", "exercises"), ("minigrad",)),
]
_TILE = "border:1px solid {colour};border-radius:4px;padding:.1em .5em;font-family:monospace;{fill}"
_MINE = "background:rgba(46,133,64,.16);"


@dataclass(frozen=True)
class Tile:
    """One part: its dotted name, the lesson it is taught in, whether the learner's is plugged in, its calls."""

    part: str
    lesson: str
    mine: bool
    calls: int


class EngineMap:
    """What `your_engine()` shows; as HTML in a notebook, as text elsewhere."""

    def __init__(self, tiles: list[Tile]):
        self.tiles = tiles
        self.mine = sum(tile.mine for tile in tiles)
        self.title = text("engine_yours", mine=self.mine, total=len(tiles))

    def stages(self) -> list[tuple[Text, list[Tile]]]:
        """The tiles of each stage that has any."""
        found = [(title, [tile for tile in self.tiles if _stage(tile.part) is title]) for title, _ in _STAGES]
        return [(title, tiles) for title, tiles in found if tiles]

    def text(self) -> str:
        lines = [" · ".join(self.title.lines()), "  " + " · ".join(text("engine_legend").lines())]
        for title, tiles in self.stages():
            lines.append(" · ".join(title.lines()))
            lines += [f"  {_sign(tile)} {tile.part}{_ran(tile)}" for tile in tiles]
        return "\n".join(lines)

    def html(self) -> str:
        boxes = "<div style='text-align:center;opacity:.6'>↓</div>".join(map(_box, self.stages()))
        title, legend = (escape(" · ".join(words.lines())) for words in (self.title, text("engine_legend")))
        return (
            f'<div style="line-height:1.7;max-width:60em"><div><strong>{title}</strong></div>'
            f'<div style="opacity:.7;font-size:90%">{legend}</div>{boxes}</div>'
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.html()}


def _stage(part: str) -> Text:
    """The stage whose longest listed name begins the part's."""
    fitting = [(len(name), at) for at, (_, names) in enumerate(_STAGES) for name in names if part.startswith(name)]
    return _STAGES[max(fitting)[1]][0]


def _sign(tile: Tile) -> str:
    return SIGNS["pass"] if tile.mine else SIGNS["todo"]


def _ran(tile: Tile) -> str:
    return f"  {' · '.join(text('engine_ran', calls=f'{tile.calls:,}').lines())}" if tile.calls else ""


def _box(stage: tuple[Text, list[Tile]]) -> str:
    title, tiles = stage
    shown = " ".join(map(_tile, tiles))
    frame = "border:1px solid var(--jp-border-color1,#bbb);border-radius:6px;padding:.4em .7em;margin:.3em 0"
    heading = escape(" · ".join(title.lines()))
    return (
        f'<div style="{frame}"><div style="opacity:.8">{heading}</div>'
        f'<div style="display:flex;flex-wrap:wrap;gap:.35em">{shown}</div></div>'
    )


def _tile(tile: Tile) -> str:
    colour = "var(--jp-success-color1,#2e8540)" if tile.mine else "var(--jp-border-color1,#bbb)"
    style = _TILE.format(colour=colour, fill=_MINE if tile.mine else "opacity:.75;")
    calls = f" <small>×{tile.calls:,}</small>" if tile.calls else ""
    name = tile.part.removeprefix("minigrad.").partition(".")[2] or tile.part
    short = ".".join(name.split(".")[-2:]) if name.split(".")[-2:][0][:1].isupper() else name.rpartition(".")[2]
    return (
        f'<span style="{style}" title="{escape(tile.part)} · {escape(tile.lesson)}">'
        f"{_sign(tile)} {escape(short)}{calls}</span>"
    )


def current() -> EngineMap:
    """The map of the engine as it is now."""
    plugged = parts.plugged()
    return EngineMap(
        [
            Tile(part, lesson, part in plugged and not parts.is_stub(plugged[part]), parts.calls(part))
            for part, lesson in workspace.every_part().items()
        ]
    )


def your_engine() -> None:
    """Show the map: drawn in a notebook, as text elsewhere."""
    import sys

    found = current()
    if (ipython := sys.modules.get("IPython")) and ipython.get_ipython():
        ipython.display.display(found)
    else:
        print(found.text())
