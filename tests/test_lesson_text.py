"""The lessons' words: both languages say the same, terms are the glossary's, every demonstration is proved."""

import re
from collections import Counter
from functools import cache

import pytest
import seed_words

from autograder import lessons
from autograder.lessons import kind
from tools import lesson_pairs

NAMES = lessons.names()
HAN = r"\u4e00-\u9fff"
FULL_WIDTH = re.compile(r"[\u3000-\u303f\uff00-\uffef\u2018\u2019\u201c\u201d\u2026]")
CODE = re.compile(r"`([^`\n]+)`|<code>(.+?)</code>")
FORMULA = re.compile(r"\$\$?([^$]+)\$\$?")
GLOSSARY_FILE = lesson_pairs.ROOT / "docs" / "glossary.md"
GLOSSARY = re.compile(r"^\| (?P<zh>[^|]+) \| (?P<en>[^|]+) \| (?P<meaning>[^|]+) \|$", re.MULTILINE)

TAKES_PARTS_ALONG = 'use_parts("mine")'

by_lesson = pytest.mark.parametrize("name", NAMES)


@cache
def cells(name):
    return lessons.load(name).notebook.cells


def pairs(name):
    """(Chinese, English) of every pair of prose cells."""
    found = cells(name)
    return [(zh.source, en.source) for zh, en in zip(found, found[1:], strict=False) if kind(zh) == "lang-zh"]


def bare(text):
    """Prose without its code and formulas."""
    return FORMULA.sub(" ", CODE.sub(" ", text))


def traits(text):
    """What both halves of a pair must share."""
    plain = bare(text)
    return {
        "headings": re.findall(r"^#+(?= )", text, re.MULTILINE),
        "formulas": Counter(FORMULA.findall(text)),
        "code": Counter(a or b for a, b in CODE.findall(text)),
        "links": Counter(re.findall(r"\]\(([^)]+)\)", text)),
        "numbers": Counter(re.findall(r"-?\d+(?:\.\d+)?", plain)),
        "list items": len(re.findall(r"^(?:\d+\.|[-*]) ", text, re.MULTILINE)),
        "paragraphs": len(re.split(r"\n\s*\n", text.strip())),
        "answers to unfold": text.count("<details>"),
    }


def brackets(zh, en):
    """The terms in brackets: English ones in the Chinese text, Chinese ones in the English."""
    latin = re.findall(rf"（([A-Za-z][^（）{HAN}]*)）", bare(zh))
    han = re.findall(rf"\(([^()]*[{HAN}][^()]*)\)", bare(en))
    return [term.replace("，", ", ") for term in latin], han


@cache
def glossary():
    """English -> Chinese; where a term has an abbreviation, both languages carry it."""
    text = GLOSSARY_FILE.read_text(encoding="utf-8")
    rows = [row for row in GLOSSARY.finditer(text) if row["zh"] != "中文"]
    return {row["en"]: row["zh"] + row["en"].partition(",")[1] + row["en"].partition(",")[2] for row in rows}


@by_lesson
def test_each_chinese_cell_has_its_english_cell_behind_it(name):
    kinds = [kind(cell) for cell in cells(name)]
    assert kinds.count("lang-zh") == kinds.count("lang-en") == len(pairs(name)) > 5
    assert all(kinds[at + 1] == "lang-en" for at, what in enumerate(kinds) if what == "lang-zh")
    assert "prose" not in kinds


@by_lesson
def test_both_halves_say_the_same(name):
    for zh, en in pairs(name):
        chinese, english = traits(zh), traits(en)
        for trait in chinese:
            assert chinese[trait] == english[trait], f"{trait}: {zh[:40]}"


@by_lesson
def test_each_half_is_in_its_language(name):
    for zh, en in pairs(name):
        _, terms = brackets(zh, en)
        rest = bare(en)
        for term in terms:
            rest = rest.replace(f"({term})", "")
        assert not re.search(rf"[{HAN}]|[，。；：？！（）]", rest), rest
        assert re.search(rf"[{HAN}]", zh)
        assert not re.search(rf"[{HAN}] ?[,;:?!]|[{HAN}]\(", bare(zh)), "Chinese text, Chinese punctuation"


@by_lesson
def test_terms_in_brackets_are_the_glossarys(name):
    for zh, en in pairs(name):
        latin, han = brackets(zh, en)
        assert set(latin) <= set(glossary()), set(latin) - set(glossary())
        assert sorted(glossary()[term] for term in latin) == sorted(han)


@by_lesson
def test_a_term_is_explained_once(name):
    terms = Counter(term for zh, en in pairs(name) for term in brackets(zh, en)[0])
    assert [term for term, times in terms.items() if times > 1] == []


def used_in(term, words):
    """Whether a term of the glossary occurs in English prose, in singular or plural."""
    return re.search(rf"(?<![a-z-]){re.escape(term)}(s|es)?(?![a-z])", words, re.IGNORECASE)


@pytest.mark.parametrize("term", glossary())
def test_the_course_explains_a_term_where_it_first_uses_it(term):
    """In the first pair whose halves both use it; the opening of a lesson, which looks ahead, need not."""
    chinese = glossary()[term].partition(",")[0]
    for name in NAMES:
        for zh, en in pairs(name)[1:]:
            if term in brackets(zh, en)[0]:
                return
            both = chinese in bare(zh) and used_in(term, bare(en))
            assert not both or TAKES_PARTS_ALONG in zh, (name, zh, en)
    raise AssertionError("no lesson explains it")


def test_the_glossary_is_sorted_and_free_of_doubles():
    terms = [row["en"] for row in GLOSSARY.finditer(GLOSSARY_FILE.read_text(encoding="utf-8"))][1:]
    assert terms == sorted(set(terms), key=str.lower)
    assert len(terms) == len(glossary()) == len(set(glossary().values())) > 80


@by_lesson
def test_no_full_width_punctuation_in_code(name):
    for cell in cells(name):
        if cell.cell_type == "code":
            assert not FULL_WIDTH.search(cell.source), cell.source


@by_lesson
def test_what_is_shown_of_torch_is_proved_behind_it(name):
    kinds = [kind(cell) for cell in cells(name)]
    assert kinds.count("demo") >= 2
    assert all(kinds[at + 1] == "proof" for at, what in enumerate(kinds) if what == "demo")
    for cell in cells(name):
        if kind(cell) == "proof":
            assert "assert " in cell.source


@by_lesson
def test_every_demonstration_asks_before_it_shows(name):
    found = cells(name)
    for at, cell in enumerate(found):
        if kind(cell) == "demo":
            english = max(i for i in range(at) if kind(found[i]) == "lang-en")
            assert "？" in found[english - 1].source or "猜" in found[english - 1].source, cell.source
            assert "?" in found[english].source or re.search("guess", found[english].source, re.I), cell.source


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("00")])
def test_it_takes_the_earlier_parts_along(name):
    """Before anything is demonstrated, and with the same words everywhere: what it does, and that grades stay away."""
    found = cells(name)
    (at,) = [i for i, cell in enumerate(found) if cell.source.endswith(TAKES_PARTS_ALONG)]
    assert [kind(cell) for cell in found[at - 3 : at + 1]] == ["setup", "lang-zh", "lang-en", "plain"]
    assert all(code in found[at - 1].source for code in ('`use_parts("mine")`', '`use_parts("reference")`', "Grading"))


@by_lesson
def test_the_shape_of_a_lesson(name):
    kinds = [kind(cell) for cell in cells(name) if not cell.source.endswith(TAKES_PARTS_ALONG)]
    assert kinds[:3] == ["lang-zh", "lang-en", "setup"]
    assert next(what for what in kinds if what in ("demo", "plain", "solution")) == "demo"
    assert kinds.count("picture") + kinds.count("demo") > kinds.count("demo")
    assert kinds.count("reflection") == 1
    assert lessons.load(name).points["reflection"] == 1
    text = "\n".join(cell.source for cell in cells(name))
    assert "draw(" in text and "from autograder.plots import" in text
    minutes = re.search(r"(\d+) 分钟", pairs(name)[0][0])
    assert minutes and 25 <= int(minutes[1]) <= 60


@by_lesson
def test_two_questions_to_test_oneself(name):
    (both,) = [pair for pair in pairs(name) if pair[1].startswith("## Test yourself")]
    assert len(re.findall(r"^\*\*\d\.\*\*", both[1], re.MULTILINE)) == both[1].count("<summary>Answer") == 2
    for found in both:  # JupyterLab leaves no room below a folded answer
        assert re.findall(r"</details>(.*)", found) == ["<br>", ""]


@by_lesson
def test_the_rubric_speaks_both_languages(name):
    (rubric,) = [cell.source for cell in cells(name) if kind(cell) == "reflection"]
    assert all(words in rubric for words in ("评分标准", "参考回答", "Rubric", "Model answer"))


@by_lesson
def test_sentences_are_our_own(name):
    known = seed_words.kept()
    prose = [cell.source for cell in cells(name) if cell.cell_type == "markdown"]
    shared = [run for text in prose for number, run in seed_words.runs(bare(text)) if number in known]
    assert shared == []


def test_both_languages_were_changed_together():
    now, before = lesson_pairs.current(), lesson_pairs.recorded()
    assert lesson_pairs.one_sided(now, before) == []
    assert now == before, "run: python tools/lesson_pairs.py"


# ── The tools themselves ─────────────────────────────────────────────────────────────────────────


def test_a_change_of_one_language_is_noticed():
    before = {"l": {"zh1": "en1", "zh2": "en2"}}
    assert lesson_pairs.one_sided({"l": {"zh1": "en1", "zh2": "en2", "zh3": "en3"}}, before) == []
    assert lesson_pairs.one_sided({"l": {"zh9": "en9", "zh2": "en2"}}, before) == []
    assert "English" in lesson_pairs.one_sided({"l": {"zh1": "en9"}}, before)[0]
    assert "Chinese" in lesson_pairs.one_sided({"l": {"zh9": "en2"}}, before)[0]


def test_line_breaks_do_not_count():
    assert lesson_pairs.fingerprint("# one\n# two") == lesson_pairs.fingerprint("# one two")
    assert lesson_pairs.fingerprint("# one two") != lesson_pairs.fingerprint("# one too")


def test_a_run_of_ten_words_is_found_whatever_stands_between():
    (one,) = seed_words.runs("梯度，总会累加到 grad 里面。")
    (other,) = seed_words.runs("梯度总会累加（到）grad，里面")
    assert one[0] == other[0]
    assert len(seed_words.kept()) > 1000


@by_lesson
def test_the_two_ways_to_read_a_lesson_agree(name):
    ours = lesson_pairs.pairs(lessons.source_path(name))
    assert [(re.sub(r"^# ?", "", zh, flags=re.M), re.sub(r"^# ?", "", en, flags=re.M)) for zh, en in ours] == pairs(
        name
    )
