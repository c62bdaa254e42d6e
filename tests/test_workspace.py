"""Parts that pass are kept as readable files, and the lessons after them run on them."""

import inspect
import linecache
import math
import re
import textwrap
from functools import cache

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import minigrad
from autograder import (
    checks,
    compare,
    handed_in,
    lessons,
    messages,
    notebook,
    oracle,
    own_source,
    parts,
    use_parts,
    workspace,
)
from autograder.engine_map import current
from autograder.errors import AutograderError
from autograder.lessons import kind
from autograder.solutions import BEGIN, as_solved

MUL = "minigrad.ops.pointwise.mul_vjp_self"
SUM = "minigrad.ops.reduce.sum_vjp"
ENGINE = "minigrad.autograd.engine."


@pytest.fixture(autouse=True)
def an_empty_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "my_parts"))
    yield
    parts.unplug()
    workspace._carried.clear()
    workspace._passed.clear()
    notebook._seeds.clear()
    messages.language("both")


def cell(source, namespace, name="<test cell>"):
    """Run a notebook cell the way a kernel does: its lines can be looked up afterwards."""
    source = textwrap.dedent(source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    return namespace


RULES = """
    import math as m
    from autograder import implements
    from minigrad import rules

    SCALE = 1.0

    def twice_half(value):
        return SCALE * m.sqrt(4) / 2 * value

    @implements("minigrad.ops.pointwise.mul_vjp_self")
    def my_mul(grad, other):
        # what I thought
        return twice_half(grad * other)

    @implements("minigrad.ops.pointwise.mul_vjp_other")
    def mul_vjp_other(grad, self):
        return grad * self
"""


def test_of_the_last_lesson_nothing_is_promised_for_later_ones(monkeypatch, tmp_path):
    monkeypatch.setattr(workspace, "keep", lambda this: [tmp_path / "my_parts" / "part.py"])
    (said,) = notebook._kept(checks.for_lesson("15_error_clinic")[0])
    assert said == messages.Text("已存进 my_parts/part.py。", "Saved in my_parts/part.py.")


def test_what_passed_is_kept_whole_readable_and_without_the_lesson(capsys):
    namespace = cell(RULES, {"__name__": "__main__"})
    notebook.check("mul_backward")
    said = capsys.readouterr().out
    assert "✓ mul_backward" in said and f"已存进 my_parts/{MUL}.py，以后" in said
    assert f"Saved in my_parts/{MUL}.py; later lessons can use it." in said
    text = workspace.saved()[MUL].read_text()
    assert "# what I thought" in text and "import math as m" in text and "SCALE = 1.0" in text
    assert "implements" not in text and "rules" not in text and "mul_vjp_other" not in text
    assert text.index("def twice_half") < text.index("def my_mul")
    namespace.clear()
    assert workspace.load(workspace.saved()[MUL])(3.0, 4.0) == 12.0


def test_passing_again_says_nothing_new_and_a_changed_part_replaces_the_old(capsys):
    namespace = cell(RULES, {"__name__": "__main__"})
    notebook.check("mul_backward")
    capsys.readouterr()
    notebook.check("mul_backward")
    assert "my_parts" not in capsys.readouterr().out
    cell(RULES.replace("what I thought", "what I think now"), namespace)
    notebook.check("mul_backward")
    assert "my_parts" in capsys.readouterr().out and "think now" in workspace.saved()[MUL].read_text()


def test_what_fails_and_what_the_instructor_wrote_is_not_kept(capsys):
    cell(RULES.replace("grad * other", "other"), {"__name__": "__main__"})
    notebook.check("mul_backward")
    cell(RULES.replace("# what I thought", f"### {BEGIN}"), {"__name__": "__main__"})
    notebook.check("mul_backward")
    assert "✓" in capsys.readouterr().out and MUL not in workspace.saved()


def test_what_cannot_stand_alone_is_said_and_nothing_is_lost(capsys):
    namespace = {"__name__": "__main__"}
    cell("import minigrad\nscale = minigrad.ones(()).numpy()", namespace, "<other cell>")
    cell(RULES.replace("SCALE = 1.0", "").replace("SCALE", "scale"), namespace)
    notebook.check("mul_backward")
    said = capsys.readouterr().out
    assert "✓ mul_backward" in said and "It uses scale, which exists only in this notebook" in said


def test_a_class_is_kept_as_it_was_written():
    source = """
        class no_grad(Decorating):
            def __enter__(self):
                self.before = math.pi

            def __exit__(self, *error):
                return None
    """
    namespace = {"math": math, "Decorating": minigrad.autograd.grad_mode.Decorating, "__name__": "__main__"}
    text = own_source.whole(cell(source, namespace)["no_grad"])
    assert "import math" in text and "from minigrad.autograd.grad_mode import Decorating" in text
    assert textwrap.dedent(source).strip() in text


def test_what_is_imported_from_the_engine_is_imported_and_not_copied():
    for name in sorted(vars(minigrad)):
        value = getattr(minigrad, name)
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, type)):
            here = cell(f"def part(x):\n    return {name}(x)\n", {"__name__": "__main__", name: value}, f"<{name}>")
            elsewhere = {}
            exec(source := own_source.whole(here["part"]), elsewhere)
            assert elsewhere[name] is value and source.count("import") == source.count("def ") == 1, source


def test_a_helper_or_an_import_with_the_name_of_a_builtin_is_kept():
    here = {"__name__": "__main__"}
    cell("from minigrad import sum\ndef max(a, b):\n    return a if a > b else b\n", here, "<helpers>")
    cell("def part(x):\n    return max(len(x), 2), sum(x)\n", here, "<part>")
    elsewhere = {}
    exec(own_source.whole(here["part"]), elsewhere)
    assert elsewhere["sum"] is minigrad.sum and elsewhere["max"](1, 2) == 2 and "len" not in elsewhere


def test_what_is_handed_in_otherwise_than_it_runs_is_told(tmp_path):
    def told(*sources):
        book, path = (
            new_notebook(cells=[new_code_cell(each) for each in sources]),
            tmp_path / "03_local_derivatives.ipynb",
        )
        nbformat.write(book, path)
        return "\n".join(handed_in.otherwise_here(path))

    rules = textwrap.dedent(RULES)
    cell(RULES, {"__name__": "__main__"})
    assert (
        told(rules) == told("def slip(:", "%matplotlib inline\n" + rules.replace("# what I thought", "# 我想的")) == ""
    )
    wrong = textwrap.dedent("""
        @implements("minigrad.ops.pointwise.mul_vjp_self")
        def my_mul(grad, other):
            return other
    """)
    assert told(wrong, rules) == ""  # the last one counts
    assert "mul_vjp_self. Save" in told(rules, wrong) and "不一样：mul_vjp_self。" in told(rules, wrong)
    assert "mul_vjp_self, mul_vjp_other" in told("print(1)")


def test_mine_and_reference_can_be_chosen_at_any_time(capsys):
    cell(RULES, {"__name__": "__main__"})
    notebook.check("mul_backward")
    parts.unplug()
    use_parts()
    assert "2" in capsys.readouterr().out and set(workspace.carried()) == {MUL, MUL.replace("self", "other")}
    minigrad.tensor(2.0, requires_grad=True).mul(3.0).backward()
    assert [tile.calls for tile in current().tiles if tile.part == MUL] == [1] and current().mine == 2
    use_parts("reference")
    assert parts.plugged() == {} and current().mine == 0
    with pytest.raises(AutograderError, match="reference"):
        use_parts("yours")


def test_what_is_written_in_this_notebook_is_not_replaced_by_an_older_one():
    cell(RULES, {"__name__": "__main__"})
    notebook.check("mul_backward")
    newer = cell(RULES, {"__name__": "__main__"})["my_mul"]
    use_parts()
    assert parts.plugged()[MUL] is newer and workspace.carried() == {}


def test_a_file_that_does_not_run_is_named_and_the_engine_uses_its_own(capsys):
    workspace.folder().mkdir()
    (workspace.folder() / f"{MUL}.py").write_text("def mul_vjp_self(grad, other)\n")
    (workspace.folder() / f"{SUM}.py").write_text("def sum_vjp(grad, self_shape, dim, keepdim, more):\n    return 0\n")
    use_parts()
    said = capsys.readouterr().out
    assert f"{MUL}.py" in said and "SyntaxError" in said and SUM in said and parts.plugged() == {}


def test_an_earlier_part_that_would_spoil_a_later_check_is_named_and_costs_it_nothing(capsys):
    workspace.folder().mkdir()
    (workspace.folder() / f"{MUL}.py").write_text("def mul_vjp_self(grad, other):\n    return other\n")
    use_parts()
    source = """
        from autograder import implements

        @implements("minigrad.autograd.accumulate.unbroadcast")
        def unbroadcast(grad, shape):
            return own(grad, shape)
    """
    cell(source, {"own": parts.original("minigrad.autograd.accumulate.unbroadcast"), "__name__": "__main__"})
    one = next(c for c in checks.for_lesson("04_broadcast") if c.parts == ("minigrad.autograd.accumulate.unbroadcast",))
    notebook.check(one.name)
    said = capsys.readouterr().out
    assert f"✓ {one.name}" in said and "mul_vjp_self" in said and 'use_parts("reference")' in said


# ── Every lesson on the parts of those before it ─────────────────────────────────────────────────


def as_a_learner_would_write(name):
    """part -> function, from the lesson's own solution cells, markers left out."""
    lesson, namespace = lessons.load(name), {"__name__": "__main__"}
    written = {}
    for each in lesson.notebook.cells:
        if kind(each) not in ("setup", "solution"):
            continue
        source = as_solved(each.source)
        cell(source, namespace, f"<{name} {each.id}>")
        written |= {part: parts.plugged()[part] for part in lessons.parts_of(each.source)}
    parts.unplug()
    return written


@pytest.fixture(scope="module")
def all_parts_saved(tmp_path_factory):
    """A workspace with every part of every lesson in it."""
    folder = tmp_path_factory.mktemp("all") / "my_parts"
    folder.mkdir()
    for name in lessons.names():
        for part, function in as_a_learner_would_write(name).items():
            (folder / f"{part}.py").write_text(own_source.whole(function))
    return folder


def test_what_is_saved_and_written_here_too_is_not_called_missing(all_parts_saved, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(all_parts_saved))
    with parts.plugged_in({part: workspace.load(path) for part, path in workspace.saved().items()}):
        use_parts("mine")
    assert "All saved parts are written in this notebook" in capsys.readouterr().out


@cache
def parts_of(name):
    return lessons.load(name).parts


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_passes_with_the_parts_up_to_its_own(name, all_parts_saved, monkeypatch):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(all_parts_saved))
    taught = {part for earlier in lessons.names() if earlier <= name for part in parts_of(earlier)}
    assert taught <= set(workspace.saved())
    with parts.plugged_in({part: workspace.load(workspace.saved()[part]) for part in taught}):
        for each in checks.for_lesson(name):
            for part in each.parts:
                parts.reset(part)
            found = compare.judge(each, oracle.expected(each.name, 2024), checks.attempt(each, minigrad, 2024))
            assert found.passed, (each.name, found.reason, [p for p in found.properties if p.state != "pass"])


def test_a_part_calls_another_that_it_names_and_no_longer_its_copy(all_parts_saved, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(all_parts_saved))
    use_parts("mine")
    walk, count, pop = ENGINE + "run_backward", ENGINE + "count_dependencies", "minigrad.autograd.ready.pop"
    assert "def count_dependencies" in workspace.saved()[walk].read_text()
    a = minigrad.tensor([1.0, 2.0], requires_grad=True)
    (a * 2 + a * 3).sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]
    assert parts.calls(walk) == parts.calls(count) == 1 and parts.calls(pop) > 0


@pytest.mark.slow
def test_in_a_kernel_parts_are_carried_from_one_notebook_to_the_next(tmp_path, monkeypatch):
    def run(folder, *sources):
        (tmp_path / folder).mkdir()
        book = nbformat.from_dict(new_notebook(cells=[new_code_cell(textwrap.dedent(source)) for source in sources]))
        resources = {"metadata": {"path": str(tmp_path / folder)}}
        NotebookClient(book, timeout=60, kernel_name="python3", resources=resources).execute()
        return [out for each in book.cells for out in each.outputs]

    monkeypatch.delenv("MINIGRAD_MY_PARTS")
    run("03_local_derivatives", RULES, "from autograder import check", 'check("mul_backward")')
    assert (tmp_path / "my_parts" / f"{MUL}.py").is_file()
    shown = run("04_broadcast", "from autograder import use_parts, your_engine\nuse_parts()\nyour_engine()")
    html = shown[-1]["data"]["text/html"]
    assert re.search(r"2 / \d+ 个部件是你写的", html) and html.count("✓ mul_vjp") == 2


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["mine", "nobody"])
def test_the_page_trains_on_all_parts_that_passed(whose, all_parts_saved, monkeypatch, tmp_path):
    if whose == "mine":
        monkeypatch.setenv("MINIGRAD_MY_PARTS", str(all_parts_saved))
    book = lessons.read("your_engine")
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=60, kernel_name="python3", resources=resources).execute()  # its assertions hold
    maps = [
        out["data"]["text/plain"]
        for each in book.cells
        for out in each.get("outputs", ())
        if "○" in str(out.get("data"))
    ]
    total = len(workspace.every_part())
    mine = total if whose == "mine" else 0
    assert len(maps) == 2 and all(each.startswith(f"{mine} / {total} ") for each in maps)
    assert ("ran" in maps[1]) == (whose == "mine") and "ran" not in maps[0]
    if whose == "mine":
        assert re.search(r"✓ minigrad.ops.pointwise.relu_vjp +运行了 [\d,]{3,} 次", maps[1])


def test_a_page_is_released_as_it_is_written_and_a_stale_one_is_found(tmp_path):
    from autograder import release
    from autograder.course import Course

    course = Course.scratch(tmp_path)
    assert [path.stem for path in release.release_pages(course)] == ["your_engine"]
    assert release.release_pages(course) == []
    assert "assert" not in (course.path("release", ".", "your_engine") / "your_engine.ipynb").read_text()


def test_a_line_left_above_or_below_the_answer_is_told_from_an_answer_not_begun():
    lines = "def part(grad):", "    raise NotImplementedError", "    return grad"
    for source, begun in (
        ("\n".join(lines), True),
        ("\n".join([lines[0], "    grad = 1", lines[1]]), True),
        ("\n".join(lines[:2]), False),
    ):
        assert (
            parts.has_code(cell(source + "\n", {"__name__": "__main__"}, f"<{begun} {len(source)}>")["part"]) is begun
        )
