"""The class report: what it counts, by which rule it lists, what it says of time, and that its links and pages hold."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from rich.cells import cell_len
from rich.console import Console
from scratch_lesson import scratch_course, with_configuration, write

from autograder import pages, release, report, summary, workspace
from autograder.errors import UnknownName
from autograder.gradebook import Item, Writer
from autograder.ledger import key_of
from autograder.lessons import describe
from autograder.messages import label_text
from autograder.mistakes import MISTAKES
from autograder.records import Entry

LESSON = "90_scratch"
HINT = "minigrad.ops.pointwise.exp_vjp:exp_forgot_grad"
EVIL = "<script>alert(1)</script>"
LABEL = label_text("still a leaf")


def records(lesson, share, hint=None, label="grad"):
    """A record a check, as the referee would write it: all, none, or one point less."""
    found = {}
    for grade_id, check in lesson.checks.items():
        points = lesson.points[grade_id]
        score = {"full": points, "some": points - 1, "none": 0}[share]
        state = "pass" if score == points else "fail" if score else "unreached"
        found[grade_id] = {
            "check": check,
            "score": score,
            "points": points,
            "status": "graded",
            "seed": 5,
            "sandboxed": True,
            "properties": [{"label": label, "state": state, "detail_zh": "甲", "detail_en": "one"}],
            "reason": None if score == points else {"zh": "差一点", "en": "not quite"},
            "hint": None if score == points else hint,
        }
    return found


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class of twelve in a real gradebook and ledger; only the records were made up, no sandbox ran."""
    folder = tmp_path_factory.mktemp("report")
    course = with_configuration(scratch_course(folder / "course"))
    people = [f"s{number:02},{'Ann' if number else EVIL},Nr{number}," for number in range(12)]
    (course.root / "roster.csv").write_text("\n".join(["id,first_name,last_name,email", *people]), encoding="utf-8")
    lesson = release.release(course, LESSON, write(folder)).lesson
    course.enrol()
    shares = ["full"] * 4 + ["some"] * 3 + ["none"] * 3
    entries = []
    for number, share in enumerate(shares):
        hint = HINT if share == "some" or number == 7 else None
        label = LABEL.en if share == "none" else EVIL
        entries.append(Entry(LESSON, f"s{number:02}", f"{number:064}", "v1", records(lesson, share, hint, label)))
    broken = {"zh": "不是笔记本", "en": "no notebook"}
    dead = {
        grade_id: record | {"status": "ungradable", "score": None, "reason": broken, "properties": []}
        for grade_id, record in records(lesson, "none").items()
    }
    entries.append(Entry(LESSON, "s10", "f" * 64, "v1", dead, problem=broken))
    entries[9].notes["grad"] = {"zh": "太长", "en": "too long"}  # s09 has lost points, s01 has not
    entries[1].notes[""] = {"zh": "另写了", "en": "more cells"}
    course.ledger.put(entries)
    earlier = Entry(LESSON, "s00", "e" * 64, "v0", records(lesson, "none"))
    course.ledger.put([earlier, entries[0]])
    notebook = describe(LESSON, lesson.notebook).notebook
    Writer(course, lesson).write([Item(entry.student, entry, notebook, False) for entry in entries])
    course.ledger.settle(key_of(entry) for entry in entries)
    return course


@pytest.fixture(scope="module")
def found(course):
    return summary.summarise(course, LESSON)


@pytest.fixture(scope="module")
def written(course):
    return report.write(course)


def page(course, name):
    return (course.root / "report" / name).read_text(encoding="utf-8")


def test_who_is_where(found):
    assert [len(rows) for rows in (found.graded, found.ungradable, found.missing)] == [10, 1, 1]
    assert found.bins[-1] == 4 and sum(found.bins) == 10


def test_checks_count_students_and_name_what_was_lost(found):
    for each in found.checks:
        # a check of one point has no "some": one point less is none
        assert (each.full, each.some + each.none, each.of) == (4, 6, 10)
        assert each.lost == [({"zh": EVIL, "en": EVIL}, 3), (LABEL._asdict(), 3)]
    assert {each.some for each in found.checks if each.points > 1} == {3}


def test_a_mistake_counts_once_a_student_however_many_checks_it_cost(found):
    (seen,) = found.mistakes
    assert seen.students == ["s04", "s05", "s06", "s07"]
    assert len(found.checks) > 1


def test_the_rule_of_who_may_need_help(found):
    listed = {row.student for row in found.helpless}
    expected = {row.student for row in found.rows if row.state == "missing"}
    expected |= {row.student for row in found.graded if row.earned < row.checks / 2}
    assert listed == expected >= {"s07", "s08", "s09", "s11"}
    assert "s10" not in listed  # not gradable: a person looks at it, it says nothing of the student
    assert [row.share is None for row in found.helpless] == sorted(row.share is None for row in found.helpless)


def test_for_the_course_two_of_the_last_three_lessons_decide(found):
    by = {row.student: row for row in found.rows}

    def listed(*likes):
        """Whether a student is listed whose lessons went as these students' did."""
        reports = [
            replace(found, lesson=replace(found.lesson, name=f"{number:02}"), rows=[replace(by[like], student="x")])
            for number, like in enumerate(likes)
        ]
        return [len(rows) for _, rows in summary.CourseReport(reports).helpless]

    good, low, none, unread = "s00", "s08", "s11", "s10"
    assert listed(low) == [1] and listed(good) == []
    assert listed(low, good, low) == [2] and listed(low, none) == [2]
    assert listed(low, good, good) == listed(low, unread, good) == []
    assert listed(low, low, good, good, low) == []  # the last three only


def test_the_rule_says_what_it_counts(found):
    reports = [replace(found, lesson=replace(found.lesson, name=f"{number:02}")) for number in range(4)]
    assert summary.CourseReport(reports[:1]).rule == summary.RULE
    assert "最近 2 课" in summary.CourseReport(reports[:2]).rule["zh"]
    assert "of the last 3 lessons" in summary.CourseReport(reports).rule["en"]


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src")]


def test_every_link_leads_somewhere(course, written):
    pages = [*course.root.glob("report/*.html"), *course.root.glob("report/students/*.html")]
    assert len(pages) == 1 + 1 + 12
    for each in pages:
        links = Links()
        links.feed(each.read_text(encoding="utf-8"))
        assert links.found
        for link in links.found:
            path, _, anchor = unquote(link).partition("#")
            target = (each.parent / path).resolve() if path else each
            assert target.is_file(), (each.name, link)
            assert not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8")


def test_pages_carry_a_strict_policy_and_escape_names_and_labels(course, written):
    for each in [*course.root.glob("report/*.html"), *course.root.glob("report/students/*.html")]:
        html = each.read_text(encoding="utf-8")
        assert "default-src 'none'" in html.partition("</head>")[0]
        assert not re.search(r"<script|javascript:|\son\w+=", html), each
    assert "&lt;script&gt;" in page(course, f"{LESSON}.html")
    assert "&lt;script&gt;" in page(course, "students/s00.html")


def test_the_lessons_page_says_it_in_words(course, written):
    html = unescape(page(course, f"{LESSON}.html"))
    assert "4 of 10:" in html and "10 人里有 4 人：" in html
    assert html.count("<svg") == 1 + len(summary.summarise(course, LESSON).checks)
    for words in (summary.RULE["zh"], summary.RULE["en"], "不是笔记本", "no notebook"):
        assert words in html
    assert "学生数 · students" in html


def test_what_was_unusual_about_a_submission_stands_where_points_are_missing(course, written):
    html = unescape(page(course, f"{LESSON}.html"))
    assert "ℹ grad：太长<br>grad: too long" in html and "more cells" not in html
    assert "grad: too long" in unescape(page(course, "students/s09.html"))
    assert "more cells" in unescape(page(course, "students/s01.html"))


def test_two_students_of_one_name_can_be_told_apart(course, written):
    assert all(f">{student}</code>" in page(course, "index.html") for student in course.roster())
    told = report._told_apart({"s1": "Peter Smith", "s2": "Peter Smith", "s3": "Ann", "s4": "", "s5": ""})
    assert list(told.values()) == ["Peter Smith (s1)", "Peter Smith (s2)", "Ann", "", ""]


@pytest.mark.parametrize("name", [f"{LESSON}.html", "students/s08.html"])
def test_labels_of_properties_stand_in_both_languages(course, written, name):
    html = page(course, name)
    assert LABEL.zh in html and LABEL.zh != LABEL.en
    assert html.count(LABEL.en) <= html.count(LABEL.zh)


def test_a_students_page_shows_every_version_and_which_one_counts(course, written):
    home = course.root / "collected" / LESSON / "s00"
    (home / f"20260301T101112000000_{'d' * 16}").mkdir(parents=True)
    report.write(course)
    html = page(course, "students/s00.html")
    shutil.rmtree(course.root / "collected")
    assert html.count("e" * 16) == 1 and html.index("e" * 16) < html.index("算这个 · this one counts")
    assert "2026-03-01 10:11 UTC" in html and "d" * 16 in html


def test_scores_for_other_systems_lie_beside(course, written):
    rows = list(csv.reader((course.root / "report" / "scores.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == 1 + 12 and LESSON in rows[0]
    assert all((course.root / "report" / f"scores-{each}.csv").is_file() for each in ("canvas", "moodle"))


def test_an_unknown_lesson_is_refused_before_anything_is_written(course):
    with pytest.raises(UnknownName):
        report.write(course, ["42_nothing"])


def test_ids_that_are_no_file_names_get_pages_all_the_same():
    assert report._file("s01") == "s01.html"
    for odd in ("../../etc/passwd", "李 雷", "S01", "a" * 300, 'x"><b>', "."):
        assert re.fullmatch(r"[0-9a-f]{20}\.html", report._file(odd))


# ── time ─────────────────────────────────────────────────────────────────────────────────────────


def receipt(folder, student, version, **said):
    home = folder / student / version
    home.mkdir(parents=True)
    (home / "receipt.json").write_text(json.dumps(said) if said else "[[", encoding="utf-8")


def test_time_runs_from_the_first_check_to_the_last_version(tmp_path):
    first = "2026-03-01 10:00:00 UTC"
    receipt(tmp_path, "ada", "1", first_check=first, time="2026-03-01 10:40:00.000000 UTC")
    receipt(tmp_path, "ada", "2", first_check=first, time="2026-03-01 11:30:00.000000 UTC")
    receipt(tmp_path, "bob", "1", first_check=first, time="2026-03-01 10:20:00.000000 UTC")
    assert sorted(summary._minutes(tmp_path)) == [20, 90]
    spans = summary.Spans([10, 20, 30, 40, 50], 45)
    assert spans.middle == 30 and spans.quarters == (20, 40)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"time": "2026-03-01 10:00:00 UTC"},
        {"first_check": "", "time": "2026-03-01 10:00:00 UTC"},
        {"first_check": 3, "time": None},
        {"first_check": "2026-03-01 10:00:01 UTC", "time": "2026-03-01 10:00:00 UTC"},
        {"first_check": "0001-01-01 10:00:01 UTC", "time": "2026-03-01 10:00:00 UTC"},
    ],
)
def test_what_does_not_fit_is_no_time(tmp_path, said):
    receipt(tmp_path, "eve", "1", **said)
    assert list(summary._minutes(tmp_path)) == []


def test_the_first_check_of_a_lesson_is_noted_once(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "my_parts"))
    assert workspace.first_check("03") == ""
    workspace.note_first_check("03")
    first = workspace.first_check("03")
    monkeypatch.setattr(workspace, "TIME", "later")
    workspace.note_first_check("03")
    workspace.note_first_check("04")
    assert workspace.first_check("03") == first and workspace.first_check("04") == "later"
    (tmp_path / "my_parts" / workspace.STARTED).write_text("broken")
    assert workspace.first_check("03") == ""


def test_where_nothing_can_be_kept_checks_go_on(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINIGRAD_MY_PARTS", str(tmp_path / "file"))
    workspace.note_first_check("03")
    assert workspace.first_check("03") == ""


@pytest.mark.parametrize("width", [80, 110, 200])
def test_the_class_at_a_glance_fits_its_terminal_with_every_lesson_and_label(width):
    names = [f"{number:02}_topic" for number in range(16)]
    labels = {"one": "作弊：打印分数，伪造消息\ncheat: prints a score, forges messages"}
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(*report.overview({name: [] for name in names}, labels, width), sep="\n")
    shown = console.export_text()
    assert all(cell_len(line) <= width for line in shown.splitlines())
    assert all(f" {name[:2]} |" in shown for name in names)
    words = re.sub(r"[\s|–]+", "", shown)
    assert "作弊：打印分数，伪造消息" in words and "forgesmessages" in words


@pytest.mark.parametrize(
    ("check", "zh", "en"),
    [("exp_log_backward", "exp_vjp：", "exp_vjp: "), ("tanh_backward", "由 exp_vjp 引起：", "caused by exp_vjp: ")],
)
def test_a_hint_says_which_part_it_is_about_also_where_the_check_does_not_ask_for_that_part(check, zh, en):
    known = MISTAKES[HINT].hint
    record = {"check": check, "score": 0, "points": 1, "status": "graded", "seed": 5, "sandboxed": True}
    record |= {"properties": [], "reason": None, "hint": HINT}
    assert pages.hint_of(record) == {"zh": zh + known.zh, "en": en + known.en}
    assert f"提示 · Hint: {zh}" in pages.as_text(record) and en in pages.as_html(record)
    assert pages.hint_of(record | {"hint": None}) is pages.hint_of(record | {"hint": "a part:of old"}) is None
