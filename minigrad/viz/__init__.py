"""Pictures of autograd graphs, of minigrad's tensors as well as torch's.

    draw(loss, params={"w": w})             one picture: nodes, leaves, saved tensors, gradients
    trace_backward(loss, params={"w": w})   backward(), step by step, to be played in a notebook

What it is for: seeing what `backward()` is about to walk, or has walked. It reads `grad_fn`, `next_functions`
and what else torch shows of a node, and imports no engine, so it works on whatever has torch's interface.
What it is not: a tracer of forward passes or of modules; what autograd did not record is not in the picture.

Graphviz (the program `dot`) lays the pictures out; without it they show as DOT text. The modules, in reading
order: graph.py (what a graph consists of), fold.py (large graphs), boxes.py (how things look), drawing.py
(Graphviz), survey.py (`draw`), animation.py (a picture in motion), trace.py (`trace_backward`) with player.html.
"""

from .animation import Frame
from .drawing import Drawing, GraphvizError
from .survey import draw
from .trace import Trace, trace_backward

__all__ = ["Drawing", "Frame", "GraphvizError", "Trace", "draw", "trace_backward"]
