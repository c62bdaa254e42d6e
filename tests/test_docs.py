"""What the documents name exists: files, commands, links."""

import re
from pathlib import Path

import pytest
from documents import blocks

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md")]
PLACES = "autograder|minigrad|tests|tools|docs|source_notebooks|release|course|benchmarks"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_files_it_names_exist(path):
    named = set(re.findall(rf"`((?:{PLACES})/[\w./-]*\w/?)`", path.read_text(encoding="utf-8")))
    made_later = {block.file for block in blocks(path) if block.file} | {"release/16_arctan"}  # by who follows the page
    made_later |= {"course/submitted", "course/autograded", "course/feedback", "course/exchange", "course/source"}
    made_later |= {
        "course/collected",
        "course/report",
        "course/gradebook.db",
        "course/ledger.db",
        "course/.secret",
        "course/nbgrader.log",
    }
    assert [each for each in named if not (ROOT / each).exists() and not each.startswith(tuple(made_later))] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_its_links_lead_somewhere(path):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [each for each in links if not (path.parent / each).exists()] == []


@pytest.mark.parametrize("path", [*(ROOT / "docs").glob("*.md")], ids=lambda path: path.name)
def test_it_speaks_both_languages(path):
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"[\u4e00-\u9fff]", text)) > 30 and len(re.findall(r"\b[a-z]{4,}\b", text)) > 30
