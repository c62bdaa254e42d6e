"""How the answer of a check looks: as text and as HTML, what is folded; in real kernels and under the Validate button."""

import json
import re
from html.parser import HTMLParser

import nbformat
import pytest
from browser_tools import CHROMIUM, browser
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.validator import Validator

import autograder
from autograder import checks, compare, messages, notebook, own_folder, parts
from autograder.show import View

MUL = "minigrad.ops.pointwise.mul_vjp_self"
OTHER = "minigrad.ops.pointwise.mul_vjp_other"
RIGHT = {MUL: lambda grad, other: grad * other, OTHER: lambda grad, self: grad * self}


@pytest.fixture(autouse=True)
def as_at_first():
    yield
    messages.language("both")
    notebook._seeds.clear()


class Balanced(HTMLParser):
    """Notes every tag, and that each one is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open += [tag] if tag != "br" else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def html_of(view):
    parser = Balanced()
    parser.feed(view.html())
    assert parser.open == []
    return view.html(), parser.tags


def test_the_html_is_whole_and_says_states_by_sign():
    with parts.plugged_in(RIGHT | {MUL: lambda grad, other: other}):
        view = notebook.look(checks.get("mul_backward"), 4711)
    html, tags = html_of(view)
    assert tags <= {"div", "span", "strong", "details", "summary", "pre"}
    assert "✗" in html and "✓" in html and "lang='zh'" in html and "lang='en'" in html
    assert "1/2" in html and "seed 4711" in html


def test_nothing_of_a_learners_reaches_the_page_as_html():
    evil = "<img src=x onerror=alert(1)>\"'&"

    def prints(grad, other):
        print(evil)
        raise ValueError(evil)

    with parts.plugged_in(RIGHT | {MUL: prints}):
        html, tags = html_of(notebook.look(checks.get("mul_backward"), 4711))
    assert "<img" not in html and "&lt;img" in html and "img" not in tags


def test_colours_follow_the_theme_and_only_a_terminal_gets_codes():
    view = View("a_check", "fail", "1/2")
    assert "var(--jp-error-color1" in view.html()
    assert "\033[31m" in view.text(colours=True) and "\033" not in view.text()
    assert view._repr_mimebundle_() == {"text/plain": view.text(), "text/html": view.html()}


def test_a_failure_begins_with_the_hint_and_folds_what_passes(capsys):
    forgot = {MUL: lambda grad, other: other}
    with parts.plugged_in(RIGHT | forgot):
        autograder.check("mul_backward", 4711)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("✗") and "mul_vjp_self 的提示" in said[1] and "Hint for mul_vjp_self" in said[2]
    assert [line.strip() for line in said if "✓" in line] == ["✓ 另外 3 项都对 · 3 others pass"]
    assert sum(line.startswith("  ✗") for line in said) == 5
    with parts.plugged_in(RIGHT | forgot):
        html, _ = html_of(notebook.look(checks.get("mul_backward"), 4711))
    hint, failed, folded = (html.index(each) for each in ("Hint for", "a in a * b", "<details>"))
    assert hint < failed < folded < html.index("b in a * b") and html.count("<details>") == 1
    assert html.index("12 of 12 entries differ") < folded < html.index("12 of 12 entries agree")


def test_what_passes_or_is_skipped_is_folded_where_that_saves_lines():
    words = messages.Text("话", "words")
    passed, skipped, failed = (compare.Finding("x.grad", state, words) for state in ("pass", "skip", "fail"))
    for found, lines, folds in [
        ([passed], 1, 0),
        ([failed, passed, skipped], 3, 0),
        ([failed, passed, passed], 2, 1),
        ([failed, skipped, passed, skipped, passed, skipped], 3, 2),
        ([passed, passed], 2, 0),
    ]:
        view = View("a_check", "fail", properties=found)
        assert len(view.text().splitlines()) == 1 + lines
        assert view.text().count(" others ") == view.html().count("<details>") == folds
    assert "– 另外 3 项跳过 · 3 others skipped" in View("a", "fail", properties=[failed, *[skipped] * 3]).text()


def test_what_failed_in_the_words_of_another_is_folded_and_addresses_are_no_words():
    at = [messages.Text(f"报错 KeyError: <Node at 0x{n}f>", f"it raised KeyError: <Node at 0x{n}f>") for n in range(4)]
    found = [
        compare.Finding(f"case {n}", "fail", words) for n, words in enumerate([*at, messages.Text("别的", "another")])
    ]
    view = View("a_check", "fail", properties=found)
    rows = view.text().splitlines()[1:]
    assert len(rows) == 3 and "case 0" in rows[0] and "another" in rows[1]
    assert rows[2].endswith("3 others fail as the first one does")
    assert view.html().count("<details>") == 1 and "case 3" in view.html()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_narrow_page_breaks_the_words_and_needs_no_scrolling_sideways():
    def prints(grad, other):
        print("x" * 300)
        raise RuntimeError("in_one_long_word" * 5)

    with parts.plugged_in(RIGHT | {MUL: prints}):
        html = notebook.look(checks.get("mul_backward"), 4711).html()
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 230, "height": 600})
        page.set_content(html)
        assert page.evaluate("document.documentElement.scrollWidth") <= 230


# ── In a real kernel ─────────────────────────────────────────────────────────────────────────────


SETUP = """
from autograder import check, hint, implements

@implements("minigrad.ops.pointwise.mul_vjp_other")
def mul_vjp_other(grad, self):
    return grad * self
"""
SOLVED = f'@implements("{MUL}")\ndef mul_vjp_self(grad, other):\n    return grad * other\n'
STUB = f'@implements("{MUL}")\ndef mul_vjp_self(grad, other):\n    raise NotImplementedError\n'


CHOOSES = "from autograder import check, hint, language\n"


@pytest.mark.slow
def test_the_language_chosen_in_one_notebook_holds_in_the_next(tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_MY_PARTS")
    said = []
    for lesson, chosen in (
        ("00_warmup", 'language("en")'),
        ("03_local_derivatives", ""),
        ("04_broadcast", "language()"),
        ("05_engine", 'language("both")'),
    ):
        (tmp_path / lesson).mkdir()
        book = new_notebook(cells=[new_code_cell(CHOOSES + chosen), new_code_cell('hint("mul_vjp_self")')])
        NotebookClient(book, kernel_name="python3", resources={"metadata": {"path": tmp_path / lesson}}).execute()
        said.append([str(cell.outputs) for cell in book.cells])
    (kept, first), (silent, second), (asked, still), (back, third) = said
    assert "check and hint speak English only" in kept and silent == "[]" and "speak both languages" in back
    assert 'check and hint speak English only; language("both")' in asked.replace("\\", "")
    assert "z = self * other" in first == second == still and not re.search(r"[\u4e00-\u9fff]", first)
    assert re.search(r"[\u4e00-\u9fff]", third) and (tmp_path / "my_parts" / "language").read_text() == "both"


def test_where_no_choice_of_language_can_be_kept_or_read_nothing_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "file" / "my_parts"))
    (tmp_path / "file").write_text("")
    own_folder.remember_language("en")
    own_folder.restore_language()
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path))
    for broken in (b"klingon", b"\xff\xfe"):
        (tmp_path / "language").write_bytes(broken)
        own_folder.restore_language()
    assert capsys.readouterr().out == "" and len(messages.text("hint", hint="").lines()) == 2


def checking_cell(name):
    cell = new_code_cell(f'check("{name}")')
    cell.metadata["nbgrader"] = {
        "grade": True,
        "grade_id": f"check_{name}",
        "points": 2,
        "solution": False,
        "locked": True,
        "schema_version": 3,
        "task": False,
        "cell_type": "code",
    }
    return cell


@pytest.mark.slow
def test_in_a_real_kernel():
    """Results as HTML and text, bad input in words, and no frame of ours in any output."""
    cells = [SETUP + STUB, 'check("mul_backward")', SOLVED, 'check("mul_backward")', 'check("mul_bakward")']
    cells += ['@implements("minigrad.ops.pointwise.mul_vjp_self")\ndef f(grad): pass', 'hint("mul_vjp_self")']
    cells += [STUB + "import minigrad\nw = minigrad.ones(1, requires_grad=True)\n(w * w).backward()"]
    book = new_notebook(cells=[new_code_cell(each) for each in cells])
    NotebookClient(book, kernel_name="python3", allow_errors=True, timeout=60).execute()
    outputs = [[dict(each) for each in cell.outputs] for cell in book.cells]
    shown = [each[0].get("data", {}).get("text/plain", "") if each else "" for each in outputs]
    assert "还没有写" in shown[1] and shown[3].startswith("✓ mul_backward · 2/2")
    assert outputs[3][0]["output_type"] == "display_data" and "✓" in outputs[3][0]["data"]["text/html"]
    for at in (4, 5):
        assert outputs[at][0]["output_type"] == "error", outputs[at]
        told = "\n".join(outputs[at][0]["traceback"])
        assert "Traceback" not in told and "autograder" not in told and re.search(r"[\u4e00-\u9fff]", told)
    assert "1/3" in shown[6]
    assert [each["output_type"] for each in outputs[7]] == ["stream"]  # the engine goes on with its own rule
    assert "还没有写" in outputs[7][0]["text"] and "not written yet" in outputs[7][0]["text"]
    json.dumps(outputs)


@pytest.mark.slow
@pytest.mark.parametrize("solution, passes", [(SOLVED, True), (STUB, False)], ids=["solved", "stub"])
def test_nbgraders_validate_button(tmp_path, solution, passes):
    book = new_notebook(cells=[new_code_cell(SETUP + solution), checking_cell("mul_backward")])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "lesson.ipynb"
    nbformat.write(book, path)
    validator = Validator()
    validator.ignore_checksums = True
    found = validator.validate(str(path))
    assert (found == {}) == passes
    if not passes:
        assert "还没有写" in found["failed"][0]["raw_error"]
        assert "Traceback" not in found["failed"][0]["raw_error"]
