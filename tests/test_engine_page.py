"""docs/engine.md says what is so: links, quoted code, examples on both engines, torch's names, and the order of stops."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import torch

import minigrad
from tools import pictures, source_links

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "engine.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINKS = re.findall(r"^\[([\w.]+)\]: (\S+)#L(\d+)$", TEXT, re.MULTILINE)
HEADERS = Path(torch.__file__).parent / "include" / "torch" / "csrc" / "autograd"
STOPS = re.findall(r"^\| \d+ \| .*?\]\[([\w.]+)\] \| `(\w+)` \(`([\w/.]+)`\) \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("label, path, line", LINKS, ids=[label for label, _, _ in LINKS])
def test_a_links_line_defines_what_it_names(label, path, line):
    file = (PAGE.parent / path).resolve()
    at = file.read_text(encoding="utf-8").splitlines()[int(line) - 1]
    name = label.rpartition(".")[2]
    module = ROOT.joinpath("minigrad", *label.split("."))
    if file in (module.with_suffix(".py"), module / "__init__.py"):
        assert line == "1"
    else:
        assert re.match(rf"\s*(def|class) {name}\b|{name}\s*[:=]", at), at


def test_every_name_has_its_link():
    prose = re.sub(r"^```.*?^```", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"\]\[([\w.]+)\]", prose)) == {label for label, _, _ in LINKS}


def test_moved_code_is_found_again_and_lost_code_is_told():
    shifted = re.sub(r"#L(\d+)", lambda match: f"#L{int(match[1]) + 7}", TEXT).replace("ready: list[Node] = []", "")
    assert shifted != TEXT
    assert source_links.current(shifted, PAGE.parent) == TEXT
    with pytest.raises(source_links.UnknownName, match="引擎里没有 autograd.engine.run_forward.*The engine has no"):
        source_links.current("[the walk][autograd.engine.run_forward]", PAGE.parent)


def examples(alike: bool) -> list[doctest.Example]:
    """The page's examples: those that both engines share, or all."""
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE) if ">>>" in block]
    shared = [block for block in blocks if ">>> import minigrad\n" not in block]
    return [each for block in (shared if alike else blocks) for each in doctest.DocTestParser().get_examples(block)]


@pytest.mark.parametrize("engine", [minigrad, torch], ids=["minigrad", "torch"])
def test_examples_print_what_the_page_says(engine):
    shown = examples(alike=engine is torch)
    assert len(shown) > 35
    for each in shown:
        each.source = each.source.replace("import minigrad as torch", f"import {engine.__name__} as torch")
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(doctest.DocTest(shown, {}, "engine.md", str(PAGE), 0, None), out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


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
    called = first_calls("y = w * x; w.exp(); y.sum().backward()")
    passed = [code for label, _, _ in STOPS if (code := code_of(label)) is not None]
    assert len(passed) >= 10
    assert [code.co_qualname for code in called if code in passed] == [code.co_qualname for code in passed]


def test_pictures_show_the_graphs_of_today():
    done = subprocess.run([sys.executable, "tools/pictures.py", "--check"], cwd=ROOT)
    assert done.returncode == 0
    for name in pictures.PICTURES:
        assert name in TEXT or name in "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("docs/*.md"))
        assert (pictures.IMAGES / name).read_text(encoding="utf-8").count("MulBackward0") == 2


def test_what_there_is_to_read_is_as_long_as_the_page_says():
    reading = TEXT[TEXT.index("## 接着读什么") :]
    said = [int(figure.replace(",", "")) for figure in re.findall(r"^\| [^|]+ \| ([\d,]+) \|", reading, re.MULTILINE)]
    files = {label: (PAGE.parent / path).resolve() for label, path, line in LINKS if line == "1"}
    engine = {files[label] for label in re.findall(r"\]\[([\w.]+)\]", reading) if label in files}
    table = set((ROOT / "minigrad" / "ops").glob("*.py")) - engine
    rest = set((ROOT / "minigrad").rglob("*.py")) - engine - table
    found = [sum(len(file.read_text(encoding="utf-8").splitlines()) for file in kind) for kind in (engine, table, rest)]
    assert len(said) == 3
    assert [n for n, length in zip(said, found, strict=True) if abs(n - length) > 0.05 * length] == [], found
    (count,) = re.findall(r"^wc -l .+$", reading, re.MULTILINE)
    shown = subprocess.run(["bash", "-c", count], cwd=ROOT / "minigrad", capture_output=True, text=True, check=True)
    assert shown.stdout.split()[-2] == str(found[0])
