"""`minigrad.viz` on graphs of both engines: what is in a picture, how large graphs fold, and how a walk is shown."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import viz
from minigrad.viz import boxes, drawing, film, fold, graph, trace

BOTH = pytest.mark.parametrize("T", [torch, minigrad], ids=["torch", "minigrad"])
no_hooks = pytest.mark.skipif(
    not hasattr(minigrad.autograd.graph.Node, "register_hook"), reason="minigrad's nodes take no hooks yet"
)
BOTH_HOOKED = pytest.mark.parametrize(
    "T", [torch, pytest.param(minigrad, marks=no_hooks)], ids=["torch", "minigrad"]
)


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


def random_graph(T, seed, size=12):
    """A few leaves, and sums and products of whatever was there before."""
    random = __import__("random").Random(seed)
    tensors = [T.tensor([1.0, -2.0], requires_grad=True) for _ in range(3)]
    for _ in range(size):
        a, b = random.choice(tensors), random.choice(tensors)
        tensors.append(random.choice([lambda a=a, b=b: a * b, lambda a=a, b=b: a + b, lambda a=a: a.exp()])())
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


# ---------------------------------------------------------------------- what is in a picture


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_every_edge_is_an_arrow(T, seed):
    loss = random_graph(T, seed)
    labels, arrows = layout(viz.draw(loss))
    title = {
        key: re.sub("</?B>", "", (re.search("<B>.*?</B>", label) or [""])[0]) for key, label in labels.items()
    }
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
    assert box(picture, "small").endswith(
        "small\n[[1, 1, 1],\n [1, 1, 1]]\n\ngrad =\n[[1, 1, 1],\n [1, 1, 1]]"
    )
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
    assert titles(picture)[0] == "loss"


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
    assert [words(label) for label in labels.values()] == [
        "不求梯度 requires_grad=False\n(1,)"
    ] and not arrows
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
    with pytest.raises(ValueError, match="可选.*there are: 'shapes', 'saved', 'grads', 'values'"):
        viz.draw(torch.ones(1), show=["shape"])


def test_kinds_differ_by_more_than_colour():
    forms = [
        frozenset(item for item in look.items() if "color" not in item[0]) for look in boxes.KINDS.values()
    ]
    assert len(set(forms)) == len(forms)
    assert all(state.strip() for state in film.STATES if state != film.IDLE)


# ---------------------------------------------------------------------- the walk's order, and folding


@BOTH_HOOKED
@pytest.mark.parametrize("seed", range(8))
def test_walk_order_is_the_engines(T, seed):
    loss = random_graph(T, seed)
    expected = graph.walk_order([loss.grad_fn])
    ran = []
    for node in expected:
        node.register_hook(lambda *_, node=node: ran.append(node))
    loss.backward()
    ops = [[node for node in order if not graph.accumulates(node)] for order in (ran, expected)]
    assert ops[0] == ops[1] and set(ran) == set(expected)


def chain(T, length):
    w = T.tensor([0.5], requires_grad=True)
    y = w
    for _ in range(length):
        y = y * w + w
    return y.sum()


def nested(T, length):
    w = T.tensor([0.5], requires_grad=True)
    y = w
    for _ in range(length):
        for _ in range(7):
            y = y * w
        y = y.exp()
        for _ in range(5):
            y = y + w
    return y.sum()


def many_leaves(T, length):
    return T.stack([T.tensor([1.0], requires_grad=True) for _ in range(length)]).sum()


@BOTH
@pytest.mark.parametrize("program", [chain, nested])
def test_large_graphs_fold(T, program):
    loss = program(T, 400)
    picture = viz.draw(loss)
    check_folded(picture, len(graph.walk_order([loss.grad_fn])))
    assert "AccumulateGrad" in titles(picture) and len(layout(picture)[0]) < 60


def test_many_leaves_fold():
    picture = viz.draw(many_leaves(torch, 500))
    check_folded(picture, 502)
    assert "498 × AccumulateGrad" in picture.dot and len(layout(picture)[0]) < 10


def check_folded(picture, nodes):
    """All nodes are accounted for, and no arrows run in a circle."""
    labels, arrows = layout(picture)
    hidden = sum(int(count) for count in re.findall(r"(\d+) nodes folded", picture.dot))
    standing = sum("Backward" in words(label).split("\n")[0] for label in labels.values())
    standing += titles(picture).count("AccumulateGrad")
    assert hidden and hidden + standing == nodes
    assert len(labels) <= viz.survey.FOLD_ABOVE * 2 + 1  # each AccumulateGrad that stands has its leaf
    targets = {key: {b for a, b, _ in arrows if a == key} for key in labels}
    while free := [key for key in targets if not any(key in others for others in targets.values())]:
        for key in free:
            del targets[key]
    assert not targets


def test_graphs_that_are_not_large_stay_whole():
    loss = chain(torch, 40)
    assert "folded" not in viz.draw(loss).dot
    assert "folded" in viz.draw(loss, fold_above=20).dot


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abc"), max_size=300), st.integers(4, 60))
def test_folding_accounts_for_every_name(names, most):
    stretches = fold.fold(names, most)
    assert sum(stretch.length for stretch in stretches) == len(names)
    assert len(stretches) <= max(most, 1)
    at = 0
    for stretch in stretches:
        if not stretch.text:
            assert stretch.length == 1 and stretch.kind == names[at]
        at += stretch.length


def test_folding_finds_the_rounds_of_a_loop():
    texts = [stretch.text for stretch in fold.fold(list("x" + "ab" * 50 + "y"), 20)]
    assert texts == ["", "", "", "48 × (a → b)", "", "", ""]
    inner = [stretch.text for stretch in fold.fold((["a"] * 9 + ["b"]) * 30, 20) if stretch.text]
    assert inner == ["7 × a", "28 × (a → 7 × a → a → b)", "7 × a"]


def test_what_repeats_nothing_folds_in_the_middle():
    stretches = fold.fold([str(number) for number in range(1000)], 50)
    assert len(stretches) == 50
    assert [stretch.text for stretch in stretches if stretch.text] == ["951 种 kinds of nodes"]


# ---------------------------------------------------------------------- Graphviz


def test_a_drawing_shows_itself(tmp_path):
    picture = viz.draw(squared_loss(torch)[1])
    svg = picture.svg()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and "max-width:100%" in root.get("style")
    background = root.find(".//{http://www.w3.org/2000/svg}polygon")
    assert background.get("fill") == "white"
    assert not root.findall(".//{http://www.w3.org/2000/svg}title")
    assert picture._repr_svg_() == svg
    assert picture._repr_mimebundle_()["image/svg+xml"] == svg
    assert picture.save(tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "graph.dot").read_text() == picture.dot
    assert repr(picture) == "<Drawing, 9 boxes>"


def test_without_graphviz_the_text_is_shown_and_the_remedy_said(monkeypatch):
    picture = viz.draw(squared_loss(torch)[1])
    walk = viz.trace_backward(squared_loss(torch)[1])
    monkeypatch.setenv("PATH", "")
    with pytest.raises(viz.GraphvizError, match="没有找到"):
        picture.svg()
    bundle = picture._repr_mimebundle_()
    assert picture._repr_svg_() is None and list(bundle) == ["text/plain"]
    for text in (bundle["text/plain"], walk.html()):
        assert "apt install graphviz，" in text and "brew install graphviz, " in text
    assert picture.dot in bundle["text/plain"]
    assert "SumBackward0 receives 1" in walk.html()


def test_a_graph_that_graphviz_refuses_is_an_error_in_both_languages():
    with pytest.raises(viz.GraphvizError, match="未能画出.*could not draw"):
        drawing.run_dot("this is no graph")


# ---------------------------------------------------------------------- the walk


@BOTH_HOOKED
def test_a_trace_is_a_real_backward_in_the_engines_order(T):
    w, loss = squared_loss(T)
    walk = viz.trace_backward(loss, params={"w": w, "loss": loss})
    assert w.grad.item() == -38
    ran = [frame.en.split()[0] for frame in walk[1:-1]]
    ops = ["AddBackward0", "MulBackward0", "SumBackward0", "PowBackward0", "SubBackward0", "MulBackward0"]
    assert ran == [*ops, "AccumulateGrad"]
    assert walk[0].en.startswith("Start: the gradient of the output loss is 1")
    assert "SubBackward0 receives [4, 6, 8] and sends [-4, -6, -8] → MulBackward0." in walk[5].en
    assert "AccumulateGrad (w) still waits for 1 more." in walk[2].en
    assert "AccumulateGrad (w) adds -38 to its leaf's .grad: None → -38." == walk[7].en
    assert all(re.search("[一-鿿]", frame.zh) and not re.search("[一-鿿]", frame.en) for frame in walk)


@BOTH_HOOKED
def test_frames_show_how_far_the_walk_is(T):
    w, loss = squared_loss(T)
    walk = viz.trace_backward(loss, params={"w": w})
    counts = [Counter(re.findall("waiting|ready|running|done", frame.drawing.dot)) for frame in walk]
    assert all(count["running"] == 1 for count in counts[:-1])
    assert counts[0] == {"running": 1, "ready": 1}
    assert counts[-1] == {"done": 9}  # the output, six operations, AccumulateGrad and its leaf
    assert "waiting 2/3" in walk[2].drawing.dot and "● 就绪 ready" in box(walk[6].drawing, "AccumulateGrad")
    assert "grad = None" in box(walk[6].drawing, "w") and "grad = -38" in box(walk[7].drawing, "w")


@BOTH_HOOKED
def test_a_gradient_can_be_given_and_the_graph_kept(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    walk = viz.trace_backward(y, T.tensor([1.0, 10.0]), retain_graph=True)
    assert walk[1].en.startswith("MulBackward0 receives [1, 10]")
    y.backward(T.tensor([1.0, 10.0]))
    assert w.grad.tolist() == [4.0, 80.0]


@BOTH_HOOKED
def test_errors_of_backward_are_its_own_and_leave_no_hooks(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        viz.trace_backward(y)
    z = y.sum()
    viz.trace_backward(z)
    with pytest.raises(RuntimeError, match="a second time"):
        viz.trace_backward(z)
    with pytest.raises(RuntimeError, match="a second time"):
        z.backward()


def test_boxes_keep_their_places_through_a_film():
    a = torch.tensor([[1.5, -2.25], [100.125, 3.0]], requires_grad=True)
    a.grad = torch.zeros(2, 2)
    walk = viz.trace_backward((a @ a).exp().mean() + (a * 1e-3).sum(), params={"a": a})
    assert len(walk) > 8

    def places(picture):
        objects = json.loads(drawing.run_dot(picture.dot, "json"))["objects"]
        return {each["name"]: (each["pos"], each["width"], each["height"]) for each in objects}

    first, *others = [places(frame.drawing) for frame in walk]
    assert all(frame == first for frame in others)


def test_the_player_holds_every_frame_and_needs_nothing_else():
    w, loss = squared_loss(torch)
    walk = viz.trace_backward(loss, params={"</script><b>": w})
    page = walk.html()
    data_text = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1]
    data = json.loads(data_text)
    assert data["captions"] == [[frame.zh, frame.en] for frame in walk]
    pictures = drawing.svg_elements(drawing.run_dot("".join(frame.drawing.dot for frame in walk)))
    held = {}
    for picture, changed in zip(pictures, data["changes"], strict=True):
        held |= changed
        assert all(part in picture for part in held.values())
        assert len(held) == len(re.findall('class="(?:node|edge)"', picture))
    assert not re.search(
        r"""(src|href)\s*=|url\(|@import|fetch\(|\bimport\b""", page.replace("xlink:href", "")
    )
    assert (
        sum(len(part) for changed in data["changes"] for part in changed.values())
        < sum(map(len, pictures)) / 2
    )
    assert "<b>" not in page.replace(data_text, "") and walk._repr_html_() == page


def test_a_folded_walk_runs_each_fold_in_one_frame():
    loss = chain(torch, 100)
    walk = viz.trace_backward(loss)
    assert len(walk) < 20
    (frame,) = [frame for frame in walk if "folded nodes run" in frame.en]
    assert "The 196 folded nodes run one after the other." in frame.en


def test_a_trace_prints_its_captions():
    text = repr(viz.trace_backward(squared_loss(torch)[1]))
    assert "开始：" in text and "  8  就绪队列空了" in text


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


def test_changes_are_what_differs():
    def group(key, text):
        return f'<g id="{key}" class="node">{text}</g>'

    pictures = [group("a", "1") + group("b", "1"), group("a", "2") + group("b", "1")]
    assert trace.changes(pictures) == [{"a": group("a", "1"), "b": group("b", "1")}, {"a": group("a", "2")}]
