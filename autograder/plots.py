"""Plots whose axes speak Chinese and English, on every machine.

    ax = axes("步数 · steps", "损失 · loss")
    ax.plot(losses)

matplotlib draws letters from its own fonts, which have no Chinese. Here figures in a notebook are SVG whose text
stays text: the reader's browser, which has Chinese letters, draws them. This module sets up an empty plot; what
is plotted, and in which colours, is the lesson's business.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from autograder.waiting import waiting

# Fonts with Chinese letters; those that this machine has are used to measure and, outside notebooks, to draw.
FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Heiti SC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
)
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lesson",  # the same picture gives the same bytes
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.unicode_minus": False,
}


def axes(x: str, y: str, title: str = "", size: tuple[float, float] = (6.4, 3.6)) -> Any:
    """A new figure's axes with these labels. `size` is in inches; returns matplotlib's Axes."""
    return row([(x, y, title)], size)[0]


def row(labels: list[tuple[str, str, str]], size: tuple[float, float] = (8.4, 3.4)) -> list[Any]:
    """Several axes side by side, each with its (x label, y label, title). Wider than 8.4 inches, JupyterLab cuts them off."""
    with waiting("still_drawing"):  # in a fresh kernel, matplotlib takes its time
        _set_up()
        import matplotlib.pyplot as plt

        figure, found = plt.subplots(1, len(labels), figsize=size, squeeze=False, layout="constrained")
    for ax, (x, y, title) in zip(found[0], labels, strict=True):
        ax.set(xlabel=x, ylabel=y)
        ax.set_title(title, fontsize="medium")
    return list(found[0])


def _set_up() -> None:
    """Fonts and, in a notebook, SVG figures."""
    import matplotlib
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    matplotlib.rcParams.update(SETTINGS)
    matplotlib.rcParams["font.family"] = [name for name in FONTS if name in installed] + ["DejaVu Sans", "sans-serif"]
    warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
    ipython: Any = sys.modules.get("IPython")
    if "ipykernel" in sys.modules and ipython and (shell := ipython.get_ipython()):
        from IPython.core.pylabtools import print_figure
        from matplotlib.figure import Figure
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        from minigrad.viz.drawing import shrinking

        set_matplotlib_formats()
        html = shell.display_formatter.formatters["text/html"]
        html.for_type(Figure, lambda figure: shrinking(print_figure(figure, "svg"), "图 figure"))
