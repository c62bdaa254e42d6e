"""Small graphs on both engines, and ways to read a drawing, for the tests of `minigrad.viz`."""

import json
import random
import re
from collections import Counter

import pytest
import torch

import minigrad
from minigrad.viz import drawing, graph

BOTH = pytest.mark.parametrize("T", [torch, minigrad], ids=["torch", "minigrad"])


def layout(picture):
    """What Graphviz itself reads in a drawing: labels by box, and arrows as (from, to, words)."""
    read = json.loads(drawing.run_dot(picture.dot, "dot_json"))
    keys = [each["name"] for each in read["objects"]]
    labels = {each["name"]: each["label"] for each in read["objects"]}
    arrows = [(keys[e["tail"]], keys[e["head"]], e.get("label", "").strip()) for e in read.get("edges", [])]
    return labels, arrows


def words(label):
    """A label without its markup, a line for each row."""
    text = re.sub(r"<BR[^>]*>", "\n", label.replace("</TR>", "\n")).replace("&#160;", " ")
    return re.sub(r"<[^>]*>", "", text).strip()


def titles(picture):
    """The boxes' bold words."""
    return [words(title) for title in re.findall(r"<B>.*?</B>", picture.dot)]


def box(picture, title):
    """The words of the one box with this title."""
    (found,) = [words(label) for label in layout(picture)[0].values() if f"<B>{title}</B>" in label]
    return found


def squared_loss(T):
    x, y = T.tensor([1.0, 2.0, 3.0]), T.tensor([3.0, 5.0, 7.0])
    w = T.tensor(1.0, requires_grad=True)
    return w, ((y - w * x) ** 2).sum() + w * w


def chain(T, length):
    w = T.tensor([0.5], requires_grad=True)
    y = w
    for _ in range(length):
        y = y * w + w
    return y.sum()


def random_graph(T, seed, size=12):
    """A few leaves, and sums and products of whatever was there before."""
    draw = random.Random(seed)
    tensors = [T.tensor([1.0, -2.0], requires_grad=True) for _ in range(3)]
    for _ in range(size):
        a, b = draw.choice(tensors), draw.choice(tensors)
        tensors.append(draw.choice([lambda a=a, b=b: a * b, lambda a=a, b=b: a + b, lambda a=a: a.exp()])())
    return (tensors[-1] + tensors[-2]).sum()


def edges_of(root):
    """Edges by name, as a walk over `next_functions` that shares nothing with the one tested finds them."""
    found, seen, stack = Counter(), {root}, [root]
    while stack:
        node = stack.pop()
        for target, _ in node.next_functions:
            if target is not None:
                found[graph.short_name(node), graph.short_name(target)] += 1
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
    return found
