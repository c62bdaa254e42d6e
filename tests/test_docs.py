"""What the documents name exists: files, commands, links. Examples print what they show, and a page in two files says the
same in both languages."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from documents import blocks, both, differences

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md")]
PAIRS = [both(str(path.relative_to(ROOT)).removesuffix(".zh-CN.md")) for path in DOCUMENTS if ".zh-CN" in path.name]
MIXED = [path for path in DOCUMENTS if path not in sum(PAIRS, [])]
PLACES = "autograder|minigrad|tests|tools|docs|source_notebooks|release|course|benchmarks"
CHINESE = "[\u4e00-\u9fff]"


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
    assert [each for each in links(path.read_text(encoding="utf-8")) if not (path.parent / each).exists()] == []


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
@pytest.mark.parametrize("path", both("README"), ids=lambda path: path.name)
def test_the_readme_shows_what_both_engines_print(path, engine):
    count, said = differences(path, engine)
    assert count == 10 and not said, said


@pytest.mark.parametrize("path", MIXED, ids=lambda path: path.name)
def test_it_speaks_both_languages(path):
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(CHINESE, text)) > 30 and len(re.findall(r"\b[a-z]{4,}\b", text)) > 30


# ── pages in two files ───────────────────────────────────────────────────────────────────────────


class Section(NamedTuple):
    """What a section holds besides its words: the same in both languages."""

    heading: str  # its level and number
    fenced: list[tuple[str, str]]
    items: int
    rows: list[int]  # the columns of each row of its tables
    links: set[str]
    code: set[str]  # what stands in backquotes


def links(text: str) -> list[str]:
    return re.findall(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)", text)


def uncommented(text: str) -> str:
    return re.sub(r" +# .*", "", text)


def sections(path: Path) -> list[Section]:
    text = path.read_text(encoding="utf-8")
    fenced = r"(?ms)^```(\w+)\n(.*?)^```$"
    hidden = re.sub(fenced, lambda match: match[0].replace("\n#", "\n "), text)
    found = []
    for part in re.split(r"(?m)^(?=#)", hidden)[1:]:
        words = re.sub(fenced, "", part)
        heading = re.match(r"#+( \d+)?", words)[0]
        rows = [line.count("|") for line in words.splitlines() if line.startswith("|")]
        items = len(re.findall(r"(?m)^(?:-|\d+\.) ", words))
        shown = [(kind, uncommented(text)) for kind, text in re.findall(fenced, part)]
        led_to = {each.replace(".zh-CN", "") for each in links(words)}
        found.append(Section(heading, shown, items, rows, led_to, set(re.findall(r"`([^`\n]+)`", words))))
    return found


def test_the_pages_that_are_read_most_are_in_two_files():
    assert {path.name for path, _ in PAIRS} >= {"README.md", "student.md", "instructor.md", "engine.md"}


@pytest.mark.parametrize("english, chinese", PAIRS, ids=lambda path: path.name)
def test_both_files_have_the_same_sections_with_the_same_commands_and_links(english, chinese):
    for one, other in zip(sections(english), sections(chinese), strict=True):
        assert one == other


@pytest.mark.parametrize("english, chinese", PAIRS, ids=lambda path: path.name)
def test_each_file_is_in_its_own_language_and_links_to_its_own(english, chinese):
    texts = [
        re.sub(r"(?ms)^```.*?^```$|<!--.*?-->", "", path.read_text(encoding="utf-8")) for path in (english, chinese)
    ]
    assert f"[中文]({chinese.name})" in texts[0] and f"[English]({english.name})" in texts[1]
    assert re.findall(CHINESE + "+", texts[0]) == ["中文"]
    assert [line for line in texts[1].splitlines() if line.startswith("#") and not re.search(CHINESE, line)] in (
        [],
        ["# minigrad-lessons"],
    )
    two = {str(path.relative_to(ROOT)) for path, _ in PAIRS}
    for path, text in ((english, texts[0]), (chinese, texts[1])):
        led_to = {str((path.parent / each).resolve().relative_to(ROOT)) for each in links(text)}
        in_other = {each.replace(".zh-CN", "") for each in led_to if (".zh-CN" in each) != (path is chinese)} & two
        assert in_other <= {str(english.relative_to(ROOT))}
