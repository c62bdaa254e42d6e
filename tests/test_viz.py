"""`minigrad.viz.draw` on graphs of both engines: what is in a picture, and how it shows itself."""

import ast
import base64
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from browser_tools import CHROMIUM, browser
from viz_tools import BOTH, box, edges_of, layout, random_graph, squared_loss, titles, words

import minigrad
from minigrad import viz
from minigrad.viz import animation, boxes, drawing


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_every_edge_is_an_arrow(T, seed):
    loss = random_graph(T, seed)
    labels, arrows = layout(viz.draw(loss))
    title = {key: re.sub("</?B>", "", (re.search("<B>.*?</B>", label) or [""])[0]) for key, label in labels.items()}
    drawn = Counter((title[a], title[b]) for a, b, text in arrows if text not in ("grad_fn", ".grad +="))
    assert drawn == edges_of(loss.grad_fn)
    assert [text for _, _, text in arrows].count(".grad +=") == titles(viz.draw(loss)).count("AccumulateGrad")


@BOTH
def test_leaves_have_names_shapes_and_gradients(T):
    w, loss = squared_loss(T)
    before = box(viz.draw(loss, {"w": w}), "w")
    loss.backward()
    after = box(viz.draw(loss, {"w": w}), "w")
    assert before == "叶子 leaf\nw\n()\ngrad = None"
    assert after == "叶子 leaf\nw\n()\ngrad = -38"


@BOTH
def test_small_values_are_written_out_and_large_ones_named_by_shape(T):
    small = T.ones(2, 3, requires_grad=True)
    large = T.ones(5, 3, requires_grad=True)
    (small.sum() + large.sum()).backward()
    picture = viz.draw([small, large], {"small": small, "large": large}, show=("values", "grads"))
    assert box(picture, "small").endswith("small\n[[1, 1, 1],\n [1, 1, 1]]\n\ngrad =\n[[1, 1, 1],\n [1, 1, 1]]")
    assert box(picture, "large").endswith("large\ngrad = (5, 3)")


@BOTH
def test_saved_tensors_are_listed_freed_and_found_overwritten(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([3.0, 4.0, 5.0])[:2] * 1
    names = {"w": w}
    product = w * x
    assert "other = (2,)" in box(viz.draw(product, names), "MulBackward0")
    power = w * w
    assert "self = w" in box(viz.draw(power, names), "MulBackward0")
    result = w.exp()
    assert "result = 自身的输出 own output (2,)" in box(viz.draw(result, names), "ExpBackward0")
    x.add_(1)
    assert "other: 已被改写 overwritten since" in box(viz.draw(product, names), "MulBackward0")
    result.sum().backward()
    assert "result: 已释放 freed" in box(viz.draw(result, names), "ExpBackward0")


def test_a_long_row_goes_over_several_lines():
    w = torch.arange(10.0, requires_grad=True)
    assert (
        '[0, 1, 2, 3,<BR ALIGN="LEFT"/>&#160;4, 5, 6, 7,<BR ALIGN="LEFT"/>&#160;8, 9]'
        in viz.draw(w * 2, {"w": w}, show=["values"]).dot
    )


@BOTH
def test_a_node_that_saves_nothing_says_nothing(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    assert "saved" not in box(viz.draw(w + w), "AddBackward0")


def test_what_a_custom_function_saved():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    x = torch.ones(3, requires_grad=True)
    y = Twice.apply(x)
    assert "saved_tensors = x" in box(viz.draw(y, {"x": x}), "TwiceBackward")
    y.sum().backward()
    assert "saved_tensors: 已释放 freed" in box(viz.draw(y, {"x": x}), "TwiceBackward")


@pytest.mark.parametrize("T", [torch, minigrad])
def test_drawing_uses_nothing_up(T):
    class Once(T.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x

    x = T.ones(2, requires_grad=True)
    y = Once.apply(x).sum()
    viz.draw(y)
    y.backward()
    assert x.grad.tolist() == [1, 1]


def test_torchs_nodes_show_sizes_dtypes_and_output_numbers():
    x = torch.ones(3, 2, dtype=torch.float64, requires_grad=True)
    first, _, third = x.unbind(0)
    picture = viz.draw(first * third)
    assert box(picture, "UnbindBackward0") == "UnbindBackward0\n3 × (2,) float64"
    assert {"out 0", "out 2"} <= {text for _, _, text in layout(picture)[1]}


@BOTH
def test_intermediate_results_can_be_named_and_show_a_retained_gradient(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    h = w * w
    h.retain_grad()
    loss = (h * h).sum()
    loss.backward()
    picture = viz.draw(loss, {"w": w, "h": h, "loss": loss})
    assert re.search(r"h: \(2,\).*h\.grad = \[2, 8\]", words(picture.dot), re.DOTALL)
    assert titles(picture)[0] == "loss" and "loss: " not in picture.dot


@BOTH
def test_names_may_come_from_anywhere(T):
    w, loss = squared_loss(T)
    namespace = {"w": w, "_hidden": loss, "T": T, "number": 3, "again": w}
    for params in (namespace, [("w", w)], iter([("w", w)])):
        assert "w" in titles(viz.draw(loss, params))
    assert titles(viz.draw(loss)).count("#1") == 1


def test_names_may_come_from_a_module():
    model = torch.nn.Linear(2, 1)
    picture = viz.draw(model(torch.ones(1, 2)), model)
    assert {"weight", "bias"} <= set(titles(picture))


def test_names_are_text_not_markup():
    w = torch.ones(2, requires_grad=True)
    picture = viz.draw(w * 2, {'a<b>&"c\\': w})
    ElementTree.fromstring(picture.svg())
    assert "a&lt;b&gt;&amp;&quot;c\\" in picture.dot


@BOTH
def test_tensors_without_a_graph(T):
    labels, arrows = layout(viz.draw(T.tensor([1.0])))
    assert [words(label) for label in labels.values()] == ["不求梯度 requires_grad=False\n(1,)"] and not arrows
    labels, _ = layout(viz.draw(T.tensor(1.0, requires_grad=True)))
    assert [words(label) for label in labels.values()] == ["叶子 leaf\n()\ngrad = None"]


@BOTH
def test_show_chooses(T):
    w, loss = squared_loss(T)
    bare = viz.draw(loss, {"w": w}, show=())
    assert box(bare, "w") == "叶子 leaf\nw" and "saved" not in bare.dot
    assert "saved" in viz.draw(loss, show="saved").dot
    assert "value" not in bare.dot and box(viz.draw(w, {"w": w}, show=["values"]), "w").endswith("\n1")


def test_what_cannot_be_drawn_is_said_in_both_languages():
    with pytest.raises(TypeError, match="却收到 int.*not int"):
        viz.draw(3)
    with pytest.raises(TypeError, match="str"):
        viz.draw([torch.ones(1), "w"])
    with pytest.raises(ValueError, match="可选.*its options are: 'shapes', 'saved', 'grads', 'values'"):
        viz.draw(torch.ones(1), show=["shape"])


def test_kinds_differ_by_more_than_colour():
    forms = [frozenset(item for item in look.items() if "color" not in item[0]) for look in boxes.KINDS.values()]
    assert len(set(forms)) == len(forms)
    assert all(state.strip() for state in animation.STATES if state != animation.IDLE)


# ---------------------------------------------------------------------- Graphviz


def test_a_drawing_shows_itself(tmp_path):
    picture = viz.draw(squared_loss(torch)[1])
    svg = picture.svg()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and "max-width:100%" in root.get("style")
    background = root.find(".//{http://www.w3.org/2000/svg}polygon")
    assert background.get("fill") == "white"
    assert not root.findall(".//{http://www.w3.org/2000/svg}title")
    shown = picture._repr_mimebundle_()
    assert shown["image/svg+xml"] == svg
    image = ElementTree.fromstring(shown["text/html"].replace(">", "/>"))
    assert image.tag == "img" and "max-width:100%" in image.get("style")  # JupyterLab cuts an SVG at the page's edge
    assert base64.b64decode(image.get("src").partition(",")[2]).decode() == svg
    assert picture.save(tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "graph.dot").read_text() == picture.dot
    assert repr(picture) == "<Drawing, 9 boxes>"
    assert repr(viz.draw(torch.ones(1))) == "<Drawing, 1 box>"


def test_without_graphviz_the_text_is_shown_and_the_remedy_said(monkeypatch):
    picture = viz.draw(squared_loss(torch)[1])
    walk = viz.trace_backward(squared_loss(torch)[1])
    monkeypatch.setenv("PATH", "")
    with pytest.raises(viz.GraphvizError, match="没有找到"):
        picture.svg()
    bundle = picture._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    for text in (bundle["text/plain"], walk.html()):
        assert "apt install graphviz，" in text and "brew install graphviz, " in text
    assert picture.dot in bundle["text/plain"]
    assert "SumBackward0 receives 1" in walk.html()


def test_a_graph_that_graphviz_refuses_is_an_error_in_both_languages():
    with pytest.raises(viz.GraphvizError, match="未能画出.*could not draw"):
        drawing.run_dot("this is no graph")


# ---------------------------------------------------------------------- what the package rests on


def test_drawing_imports_no_engine():
    for path in Path(viz.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        absolute = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level == 0]
        absolute += [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
        assert {name.partition(".")[0] for name in absolute} <= sys.stdlib_module_names, path
        assert all(n.level <= 1 for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)), path


def test_importing_the_engine_does_not_import_the_drawing():
    code = "import sys, minigrad; sys.exit('minigrad.viz' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(viz.__file__).parents[2]).returncode == 0


INSIDE = """() => [...document.querySelectorAll('g.node')].flatMap(node => {
    const strip = node.querySelector('polygon[fill="#f6e7f0"]')
    if (!strip) return []
    const {left, right} = strip.getBoundingClientRect()
    return [...node.querySelectorAll('text[fill="#7a2f5d"]')].map(each => each.getBoundingClientRect())
        .map(text => Math.min(text.left - left, right - text.right))
})"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_words_of_a_tinted_strip_stay_inside_it_in_a_browser():
    """The page's font is wider than the one by which Graphviz measures."""
    V, W = (torch.full(shape, 0.5, requires_grad=True) for shape in ((1, 3), (3, 1)))
    loss = ((torch.ones(4, 1) @ V).tanh() @ W).exp().mean()
    drawn = viz.draw(loss, params={"V": V, "W": W}, show=["shapes", "saved"])
    with browser() as chromium:
        page = chromium.new_page()
        page.set_content(drawn._repr_mimebundle_()["image/svg+xml"])
        rooms = page.evaluate(INSIDE)
    assert len(rooms) >= 6 and min(rooms) >= 0


def recurrent(steps):
    """A graph in which one leaf is used at every step, so that its edges pass by all nodes in between."""
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(steps):
        y = (y * x + x).tanh()
    return y


def test_a_graph_that_takes_dot_minutes_is_drawn_with_straight_lines(monkeypatch):
    monkeypatch.setattr(drawing, "FINE", 0.5)
    picture = viz.draw(recurrent(40))
    assert picture.svg().count('class="node"') == picture.dot.count(" [label=<")


def test_one_that_takes_too_long_even_so_says_what_to_do(monkeypatch):
    monkeypatch.setattr(drawing, "FINE", 0.001)
    monkeypatch.setattr(drawing, "COARSE", 0.001)
    with pytest.raises(viz.GraphvizError, match="fewer steps"):
        viz.draw(recurrent(10)).svg()
    assert "步数少些" in viz.draw(recurrent(3))._repr_mimebundle_()["text/plain"]
