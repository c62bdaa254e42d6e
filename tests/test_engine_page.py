"""docs/engine.md, in both languages, says what is so: links, quoted code, examples on both engines, torch's names, and
the order of stops. That both files say the same is test_docs.py's business."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import torch
from documents import both, differences

import minigrad
from tools import pictures, source_links

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in both("docs/engine")}
TEXT = PAGES["engine.md"]
LINKS = re.findall(r"^\[([\w.]+)\]: (\S+)#L(\d+)$", TEXT, re.MULTILINE)
HEADERS = Path(torch.__file__).parent / "include" / "torch" / "csrc" / "autograd"
STOPS = re.findall(r"^\| \d+ \| .*?\]\[([\w.]+)\] \| `(\w+)` \(`([\w/.]+)`\) \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("label, path, line", LINKS, ids=[label for label, _, _ in LINKS])
def test_a_links_line_defines_what_it_names(label, path, line):
    file = (DOCS / path).resolve()
    at = file.read_text(encoding="utf-8").splitlines()[int(line) - 1]
    name = label.rpartition(".")[2]
    module = ROOT.joinpath("minigrad", *label.split("."))
    if file in (module.with_suffix(".py"), module / "__init__.py"):
        assert line == "1"
    else:
        assert re.match(rf"\s*(def|class) {name}\b|{name}\s*[:=]", at), at


@pytest.mark.parametrize("page", PAGES)
def test_every_name_has_its_link(page):
    assert re.findall(r"^\[([\w.]+)\]: (\S+)#L(\d+)$", PAGES[page], re.MULTILINE) == LINKS
    prose = re.sub(r"^```.*?^```", "", PAGES[page], flags=re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"\]\[([\w.]+)\]", prose)) == {label for label, _, _ in LINKS}


@pytest.mark.parametrize("page", PAGES)
def test_moved_code_is_found_again_and_lost_code_is_told(page):
    text = PAGES[page]
    shifted = re.sub(r"#L(\d+)", lambda match: f"#L{int(match[1]) + 7}", text).replace("ready: list[Node] = []", "")
    assert shifted != text
    assert source_links.current(shifted, DOCS) == text
    with pytest.raises(source_links.UnknownName, match="引擎里没有 autograd.engine.run_forward.*The engine has no"):
        source_links.current("[the walk][autograd.engine.run_forward]", DOCS)


@pytest.mark.parametrize("page", both("docs/engine"), ids=lambda path: path.name)
@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_examples_print_what_the_page_says(engine, page):
    count, said = differences(page, engine, internals=engine == "minigrad")
    assert count > 35 and not said, said


@pytest.mark.parametrize("label, name, header", STOPS, ids=[label for label, _, _ in STOPS])
def test_torch_has_the_name_beside_each_stop(label, name, header):
    assert re.search(rf"\b{name}\b", (HEADERS / header).read_text(encoding="utf-8"))


def code_of(label: str) -> CodeType | None:
    """The code behind a stop, if it is a function."""
    module, _, name = f"minigrad.{label}".rpartition(".")
    return getattr(getattr(importlib.import_module(module), name), "__code__", None)


def first_calls(program: str) -> list[CodeType]:
    """What a program runs, in the order in which each function was first called."""
    w = minigrad.tensor([2.0, 3.0], requires_grad=True)
    names = {"w": w, "x": minigrad.tensor([[1.0, 2.0], [3.0, 4.0]])}
    called: dict[CodeType, None] = {}

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            called.setdefault(frame.f_code)

    compiled = compile(program, "<program>", "exec")
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        exec(compiled, names)
    finally:
        sys.setprofile(before)
    return list(called)


def test_the_stops_stand_in_the_order_in_which_the_data_passes_them():
    assert len(STOPS) == 12
    called = first_calls("y = w * x; w.exp(); s = y.sum(); s.retain_grad(); s.backward()")
    passed = [code for label, _, _ in STOPS if (code := code_of(label)) is not None]
    assert len(passed) >= 10
    assert [code.co_qualname for code in called if code in passed] == [code.co_qualname for code in passed]


def test_pictures_show_the_graphs_of_today():
    done = subprocess.run([sys.executable, "tools/pictures.py", "--check"], cwd=ROOT)
    assert done.returncode == 0
    for name in pictures.PICTURES:
        assert name in TEXT or name in "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("docs/*.md"))
        assert (pictures.IMAGES / name).read_text(encoding="utf-8").count("MulBackward0") == 2


@pytest.mark.parametrize("page", PAGES)
def test_what_there_is_to_read_is_as_long_as_the_page_says(page):
    reading = PAGES[page].rpartition("\n## ")[2]
    said = [int(figure.replace(",", "")) for figure in re.findall(r"^\| [^|]+ \| ([\d,]+) \|", reading, re.MULTILINE)]
    files = {label: (DOCS / path).resolve() for label, path, line in LINKS if line == "1"}
    engine = {files[label] for label in re.findall(r"\]\[([\w.]+)\]", reading) if label in files}
    library = set((ROOT / "minigrad" / "ops").glob("*.py")) - engine
    rest = set((ROOT / "minigrad").rglob("*.py")) - engine - library
    kinds = engine, library, rest
    found = [sum(len(file.read_text(encoding="utf-8").splitlines()) for file in kind) for kind in kinds]
    assert len(said) == 3
    assert [n for n, length in zip(said, found, strict=True) if abs(n - length) > 0.05 * length] == [], found
    (count,) = re.findall(r"^wc -l .+$", reading, re.MULTILINE)
    shown = subprocess.run(["bash", "-c", count], cwd=ROOT / "minigrad", capture_output=True, text=True, check=True)
    assert shown.stdout.split()[-2] == str(found[0])


@pytest.mark.parametrize("readme", both("README"), ids=lambda path: path.name)
def test_the_readme_says_the_same_length(readme):
    (lines,) = re.findall(r"^\| [^|]+ \| ([\d,]+) \|", TEXT, re.MULTILINE)[:1]
    assert lines in readme.read_text(encoding="utf-8")
