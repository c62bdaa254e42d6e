"""The catalogues: whole in both languages, nothing fuzzy, nothing unused, and read as Babel reads them."""

import ast
import re
import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po as babel_read

import autograder
from autograder import checks, messages, oracle
from autograder.errors import AutograderError
from autograder.messages import Text, catalogue, label_text, text

PACKAGE = Path(autograder.__file__).parent


def po(language, name="autograder"):
    path = PACKAGE / "locale" / language / "LC_MESSAGES" / f"{name}.po"
    with path.open("rb") as file:
        return babel_read(file, locale=language)


@pytest.fixture(autouse=True)
def both_languages():
    yield
    messages.language("both")


def sources():
    return [ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")]


def asked_for():
    """The keys that text(…) is called with in so many words, or in a choice of words."""
    for tree in sources():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", None) == "text" and call.args:
                key = call.args[0]
                for each in (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,):
                    if isinstance(each, ast.Constant):
                        yield each.value


def beginnings():
    """How the keys begin that are put together on the way: f"why_{…}" gives "why_"."""
    strings = [each for tree in sources() for each in ast.walk(tree) if isinstance(each, ast.JoinedStr)]
    starts = {each.values[0].value for each in strings if isinstance(each.values[0], ast.Constant)}
    return tuple(each for each in starts if re.fullmatch(r"[a-z]+_", each))


def literals():
    return {
        each.value
        for tree in sources()
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_every_entry_is_said_and_none_is_fuzzy(language):
    entries = [each for each in po(language) if each.id]
    assert entries
    assert [each.id for each in entries if not each.string or each.fuzzy] == []
    assert po(language).obsolete == {}


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_the_files_are_read_as_babel_reads_them(language):
    assert catalogue(language) == {each.id: each.string for each in po(language) if each.id}


def test_no_key_stands_twice():
    for language in messages.LANGUAGES:
        path = PACKAGE / "locale" / language / "LC_MESSAGES" / "autograder.po"
        keys = re.findall(r'^msgid "(.+)"$', path.read_text("utf-8"), re.MULTILINE)
        assert len(keys) == len(set(keys)) == len(catalogue(language))


def test_both_catalogues_hold_the_same_keys_and_fill_in_the_same_values():
    assert catalogue("zh").keys() == catalogue("en").keys()
    for key in catalogue("zh"):
        fields = [
            {name for _, name, _, _ in string.Formatter().parse(catalogue(language)[key]) if name}
            for language in messages.LANGUAGES
        ]
        assert fields[0] == fields[1], key


def test_an_entry_without_chinese_is_a_command_or_a_form_and_so_the_same_in_both():
    for key, said in catalogue("zh").items():
        if not re.search(r"[\u4e00-\u9fff]", said):
            assert re.sub(r"\W", "", said) == re.sub(r"\W", "", catalogue("en")[key]), key


def test_a_command_ends_its_line():
    """Or whoever copies it takes along what follows, Chinese marks above all."""
    begins = re.compile(r"(?:\{autograder\}|\{teach\}|sudo [a-z]|docker [a-z]|mv \{).*")
    found = [
        command
        for language in messages.LANGUAGES
        for said in catalogue(language).values()
        for command in begins.findall(said)
    ]
    assert len(found) > 20
    assert [each for each in found if re.search(r"[，。；：、（）”]|[.;,:)](\s|$)", each)] == []


def test_every_key_that_is_asked_for_is_there():
    keys = set(asked_for())
    assert len(keys) > 40 and keys - catalogue("zh").keys() == set()


@pytest.mark.slow
def test_no_entry_is_unused():
    used, begun = literals(), beginnings()
    assert [key for key in catalogue("zh") if key not in used and not key.startswith(begun)] == []


def test_every_property_of_every_check_has_a_label_in_chinese():
    """Complete and without leftovers; what has no Chinese in it is code and no words."""
    labels = {each.label for name in checks.REGISTRY for each in oracle.expected(name, 5)}
    chinese = catalogue("zh", "labels")
    assert labels - chinese.keys() == set(), "add to autograder/locale/zh/LC_MESSAGES/labels.po"
    assert chinese.keys() - labels == set()
    assert chinese == {each.id: each.string for each in po("zh", "labels") if each.id and not each.fuzzy}
    for label, said in chinese.items():
        if not re.search(r"[\u4e00-\u9fff]", said):
            assert said == label and not re.search(r"[a-z]{2,} [a-z]{2,}", label), label


def test_a_label_nobody_knows_is_shown_as_it_is():
    assert label_text("still a leaf") == Text("仍然是叶子", "still a leaf")
    assert label_text("<b>mine</b>") == Text("<b>mine</b>", "<b>mine</b>")


def test_long_words_that_both_languages_end_in_are_said_once():
    error = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    assert messages.text("raised", error=error).lines() == [f"报错 · it raised {error}"]
    assert messages.text("raised", error="ValueError").lines() == ["报错 ValueError", "it raised ValueError"]
    assert messages.common_end("报错 ValueError: no", "it raised ValueError: no") == " ValueError: no"
    assert messages.common_end("得到 [0.25, 0.5, …]", "got [0.25, 0.5, …]") == ""  # the values belong to both
    assert messages.common_end("不是它", "not it") == messages.common_end("a word", "word") == ""
    placed = Text(f"{error}（第 2 行）", f"{error} (line 2)")
    assert placed.lines() == [f"{error}（第 2 行） · (line 2)"]
    assert Text(f"{error}。", f"{error}.").lines() == [f"{error}。", f"{error}."]
    assert Text("ValueError（第 2 行）", "ValueError (line 2)").lines() == [
        "ValueError（第 2 行）",
        "ValueError (line 2)",
    ]
    command = "autograder grade 03_local_derivatives --retry"
    assert Text(f"之后：{command}", f"Then: {command}").lines() == [f"之后：{command}", f"Then: {command}"]
    messages.language("en")
    assert messages.text("raised", error=error).lines() == [f"it raised {error}"]


def test_of_two_sentences_the_first_ends_before_the_second_begins():
    after = Text("再来一次。", "Try again.")
    assert messages.followed_by(Text("得到 0.5", "got 0.5"), after) == Text(
        "得到 0.5。再来一次。", "got 0.5. Try again."
    )
    assert messages.followed_by(after, after) == Text("再来一次。再来一次。", "Try again. Try again.")


def test_values_are_filled_in_each_language_with_their_own():
    said = text("differs", expected=Text("真", "true"), got=0.5)
    assert said.zh == "应为 真，得到 0.5"
    assert said.en == "expected true, got 0.5"


def test_one_language_can_be_chosen():
    both = Text("一", "one")
    assert both.lines() == ["一", "one"]
    messages.language("en")
    assert str(both) == "one"
    messages.language("zh")
    assert str(both) == "一"


def test_an_unknown_language_is_refused_with_the_choices():
    with pytest.raises(AutograderError, match='"zh"') as caught:
        messages.language("fr")
    assert "'fr'" in str(caught.value) and messages.LANGUAGES[0] in str(caught.value)


def test_the_same_in_both_languages_is_said_once():
    assert Text("–", "–").lines() == ["–"]


@pytest.mark.parametrize(
    "entry, read",
    [
        ('msgid "a"\nmsgstr "b"\n', {"a": "b"}),
        ('msgid "a"\nmsgstr ""\n"b\\n"\n"c"\n', {"a": "b\nc"}),
        (
            '# note\nmsgid ""\nmsgstr "head"\n\nmsgid "a"\nmsgstr "\\"b\\""\n\nmsgid "c"\nmsgstr "d"',
            {"a": '"b"', "c": "d"},
        ),
    ],
)
def test_reading_a_catalogue(entry, read):
    assert messages.read_po(entry) == read
