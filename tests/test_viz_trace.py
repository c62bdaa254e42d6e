"""`minigrad.viz.trace_backward` on both engines: what happened, how far the walk is, and the player."""

import json
import re
from collections import Counter

import pytest
import torch
from browser_tools import CHROMIUM, browser
from viz_tools import BOTH, box, chain, squared_loss

import minigrad
from minigrad import viz
from minigrad.viz import drawing, graph, trace


@BOTH
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


@BOTH
def test_frames_show_how_far_the_walk_is(T):
    w, loss = squared_loss(T)
    walk = viz.trace_backward(loss, params={"w": w})
    counts = [Counter(re.findall("waiting|ready|running|done", frame.drawing.dot)) for frame in walk]
    assert all(count["running"] == 1 for count in counts[:-1])
    assert counts[0] == {"running": 1, "ready": 1}
    assert counts[-1] == {"done": 9}  # the output, six operations, AccumulateGrad and its leaf
    assert "waiting 2/3" in walk[2].drawing.dot and "● 就绪 ready" in box(walk[6].drawing, "AccumulateGrad")
    assert "grad = None" in box(walk[6].drawing, "w") and "grad = -38" in box(walk[7].drawing, "w")


@BOTH
def test_a_gradient_can_be_given_and_the_graph_kept(T, monkeypatch):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    walk = viz.trace_backward(y, T.tensor([1.0, 10.0]), retain_graph=True)
    assert walk[1].en.startswith("MulBackward0 receives [1, 10]")
    monkeypatch.setattr(graph, "contents", None)  # no hook may be left that would call it
    y.backward(T.tensor([1.0, 10.0]))
    assert w.grad.tolist() == [4.0, 80.0]


@BOTH
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


@BOTH
def test_the_player_holds_every_frame_and_needs_nothing_else(T):
    w, loss = squared_loss(T)
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
    assert not re.search(r"""(src|href)\s*=|url\(|@import|fetch\(|\bimport\b""", page.replace("xlink:href", ""))
    assert sum(len(part) for changed in data["changes"] for part in changed.values()) < sum(map(len, pictures)) / 2
    assert "<b>" not in page.replace(data_text, "") and walk._repr_html_() == page


IN_SIGHT = """() => {
    const box = document.querySelector('[data-part=picture]').getBoundingClientRect();
    const film = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
    const at = Number(document.querySelector('input[type=range]').value);
    const rooms = Object.keys(film.changes[at]).map(id => document.getElementById(id).getBoundingClientRect());
    const middle = (Math.min(...rooms.map(r => r.top)) + Math.max(...rooms.map(r => r.bottom))) / 2;
    return [box.top, middle, box.bottom, innerHeight];
}"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_what_a_step_changes_is_in_sight_in_a_low_window():
    walk = viz.trace_backward(chain(minigrad, 12))
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1000, "height": 600})
        page.set_content(walk.html())
        for step in range(1, len(walk)):
            page.get_by_text("Next").click()
            top, middle, bottom, height = page.evaluate(IN_SIGHT)
            assert top < middle < bottom and bottom - top <= 0.71 * height, step


@BOTH
def test_a_folded_walk_runs_each_fold_in_one_frame(T):
    loss = chain(T, 100)
    walk = viz.trace_backward(loss)
    assert len(walk) < 20
    (frame,) = [frame for frame in walk if "folded nodes run" in frame.en]
    assert "The 196 folded nodes run one after the other." in frame.en
    assert "waiting 1/201" in box(walk[2].drawing, "AccumulateGrad")
    assert "ready" in box(walk[-3].drawing, "AccumulateGrad")


@BOTH
def test_a_trace_prints_its_captions(T):
    text = repr(viz.trace_backward(squared_loss(T)[1]))
    assert "开始：" in text and "  8  就绪队列空了" in text


def test_changes_are_what_differs():
    def group(key, text):
        return f'<g id="{key}" class="node">{text}</g>'

    pictures = [group("a", "1") + group("b", "1"), group("a", "2") + group("b", "1")]
    assert trace.changes(pictures) == [{"a": group("a", "1"), "b": group("b", "1")}, {"a": group("a", "2")}]
