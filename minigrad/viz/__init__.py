"""Pictures of autograd graphs, of minigrad's tensors and of torch's alike.

    draw(loss, params={"w": w})             one picture: nodes, leaves, saved tensors, gradients
    trace_backward(loss, params={"w": w})   backward(), step by step, to be played in a notebook

What it is for: seeing what `backward()` is about to walk, or has walked. It reads `grad_fn`, `next_functions` and
what else torch shows of a node, and imports no engine, so it works on whatever has torch's interface.
What it is not: a tracer of forward passes or of modules; what autograd did not record is not in the picture.

Graphviz (the program `dot`) lays the pictures out; without it they show as DOT text. The modules, in reading order:
graph.py (what is in a graph), fold.py (large graphs), picture.py (DOT and SVG), trace.py (the walk), player.html.
"""

from .picture import Drawing, GraphvizMissing, draw


__all__ = ["Drawing", "GraphvizMissing", "draw"]
