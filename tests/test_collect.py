"""Collecting from an exchange, folders and zips: whose it is, which version counts, and what is said."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
import shutil
import unicodedata
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from collect_tools import BOOK, LESSON, ONE, ROSTER, THREE, TWO, ago, lay, said, submitted, zipped

from autograder import cli, report
from autograder.collect import collect
from autograder.course import Course
from autograder.grade import grade
from autograder.notices import noted
from autograder.records import submission_hash

pytest_plugins = ["collect_tools"]  # the fixtures


def test_the_latest_of_several_versions_counts_and_all_are_kept(course, book, tmp_path):
    one, two, three = ago(30), ago(20), ago(10)
    inbound = lay(
        course.inbound,
        {
            f"ada+{LESSON}+{two}+x/{BOOK}": book("two"),
            f"ada+{LESSON}+{two}+x/timestamp.txt": two,
            f"ada+{LESSON}+{one}+y/{BOOK}": book("one"),
            f"ada+{LESSON}+{one}+y/timestamp.txt": one,
            f"emil+{LESSON}+{one}+z/{BOOK}": book("emil"),
            f"emil+another+{three}+z/{BOOK}": book("another lesson's"),
        },
    )
    found = collect(course, LESSON)
    assert found.fresh == ["ada", "emil"] and found.known == []
    places = ", ".join(f"ada+{LESSON}+{time}/{BOOK}" for time in (f"{one}+y", f"{two}+x"))
    assert said(found) == {"ada": f"Handed in 2 times ({places}); all versions are kept, and the latest counts."}
    assert submitted(course) == {"ada": book("two"), "emil": book("emil")}
    kept = sorted(p.read_bytes() for p in (course.root / "collected").glob(f"{LESSON}/ada/*/{BOOK}"))
    assert kept == sorted([book("one"), book("two")])
    time = course.coursedir().get_existing_timestamp(str(course.path("submitted", "ada", LESSON)))
    assert f"{time} UTC" == two

    again = collect(course, LESSON)
    assert again.fresh == [] and again.known == ["ada", "emil"]
    lay(inbound, {f"ada+{LESSON}+{three}+w/{BOOK}": book("three")})
    assert collect(course, LESSON).fresh == ["ada"] and submitted(course)["ada"] == book("three")
    assert len(list((course.root / "collected").glob(f"{LESSON}/ada/*"))) == 3


def test_what_was_submitted_another_way_is_kept_before_it_is_replaced(course, book, tmp_path):
    lay(course.root / "submitted", {f"ada/{LESSON}/{BOOK}": book("old"), f"ada/{LESSON}/timestamp.txt": ONE})
    source = lay(tmp_path / "folder", {f"ada/{LESSON}/{BOOK}": book("new"), f"ada/{LESSON}/timestamp.txt": TWO})
    assert collect(course, LESSON, source).fresh == ["ada"]
    assert submitted(course) == {"ada": book("new")}
    assert len(list((course.root / "collected").glob(f"{LESSON}/ada/*"))) == 2
    older = lay(tmp_path / "older", {f"ada/{BOOK}": book("older"), "ada/timestamp.txt": "2026-01-01 00:00:00 UTC"})
    found = collect(course, LESSON, older)
    assert found.known == ["ada"] and submitted(course) == {"ada": book("new")}
    assert said(found)["ada"].startswith(
        f"The version that came in (2026-01-01 00:00:00 UTC) is older than the one already here ({TWO})"
    )
    assert said(collect(course, LESSON, older)) == {}  # nothing new came
    same = lay(tmp_path / "same", {f"ada/{BOOK}": book("new"), "ada/timestamp.txt": "2026-01-02 00:00:00 UTC"})
    assert said(collect(course, LESSON, same)) == {}  # nor another text


@pytest.mark.parametrize(
    ("name", "who"),
    [
        (f"Ada Lovelace_8123_assignsubmission_file_/{BOOK}", "ada"),  # Moodle
        (f"李娜_8124_assignsubmission_file/{BOOK}", "lina"),
        (f"lovelaceada_101_202_{BOOK}", "ada"),  # Canvas
        (f"lovelaceada_LATE_101_202_{LESSON}-2.ipynb", "ada"),
        (f"ada@example.org/{BOOK}", "ada"),
        (f"class/LINA/{LESSON}/{LESSON} (1).ipynb", "lina"),
        (f"ada/{LESSON}-Copy1.ipynb", "ada"),
        (f"ada/{LESSON}-Copy1-Copy2 (1).ipynb", "ada"),
        (f"ada_{BOOK}", "ada"),
        (f"ada/{LESSON.title()}.IPYNB", "ada"),
    ],
)
def test_names_of_learning_platforms(course, book, tmp_path, name, who):
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", {name: book("mine")}))
    assert submitted(course) == {who: book("mine")} and found.fresh == [who]
    assert ("late" in said(found).get(who, "")) == ("LATE" in name)


@pytest.mark.parametrize("copy", [f"{LESSON} (1).ipynb", f"{LESSON}-Copy1.ipynb"])
def test_of_what_has_one_time_the_notebook_counts_and_not_its_copies(course, book, copy):
    """The exchange's folder of a submission holds whatever lay beside it."""
    folder = course.inbound / f"ada+{LESSON}+{ago(9)}+x"
    for words in ("mine", "mine, again", "mine, at last"):  # whichever hash comes first
        lay(folder, {BOOK: book(words), copy: book(f"an old copy of {words}")})
        found = collect(course, LESSON)
        assert submitted(course)["ada"] == book(words) and not any(n.grave for n in found.notices)
        assert said(found)[f"{folder.name}/{copy}"] == f"Not taken: it is a copy, and {BOOK} itself lies beside it."
        shutil.rmtree(course.root / "collected")
        shutil.rmtree(course.root / "submitted")


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        (f"emil/Ada Lovelace_8123_assignsubmission_file_/{BOOK}", None),
        (f"emil/ada+{LESSON}+{ONE}+x/{BOOK}", None),
        (f"class of emil/Ada Lovelace_8123_assignsubmission_file_/{BOOK}", "ada"),
        (f"emil+{LESSON}+{ONE}+x/ada_{BOOK}", "emil"),
        (f"emil+{LESSON}+{ONE}+x/ada/{BOOK}", "emil"),
        (f"emil+{LESSON}+{ONE}+x/ada+{LESSON}+{TWO}+y/{BOOK}", "emil"),
        (f"Ada Lovelace_8123_assignsubmission_file_/lina_{BOOK}", "ada"),
        (f"Ada Lovelace_8123_assignsubmission_file_/lina/{BOOK}", "ada"),
        (f"Ada Lovelace_8123_assignsubmission_file_/李娜_8124_assignsubmission_file/{BOOK}", "ada"),
        (f"emil_101_202_ada_101_202_{BOOK}", None),
        (f"emil/ada_{BOOK}", None),
        (f"emil/ada/{BOOK}", None),
    ],
)
def test_nobody_hands_in_for_another_by_a_name_of_their_own_choice(course, book, tmp_path, name, whose):
    """The platform names the outer folder; what lies in it, its student named. Where no platform did, a person looks."""
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", {name: book("emil's, or ada's")}))
    assert list(submitted(course)) == ([whose] if whose else [])
    assert whose or [n.who for n in found.notices if n.grave] == [name]


@pytest.mark.parametrize("name", ["Ada Lovelace_{0}_assignsubmission_file_/", "lovelaceada_{0}_901_", "ada_{0}_902_"])
def test_two_accounts_of_one_name_are_not_one_student(course, book, tmp_path, name):
    """On a learning platform everybody chooses what they are called; the number of an account nobody chooses."""
    files = {name.format(who) + BOOK: book(who) for who in ("111", "222")} | {f"lina/{BOOK}": book("lina's")}
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", files))
    assert found.fresh == ["lina"]
    (notice,) = (each for each in found.notices if each.grave)
    assert notice.who.startswith("ada: ") and "(numbers 111, 222) go by this student's name" in notice.what.en
    twice = {name.format("111") + each: book(each) for each in (BOOK, f"{LESSON}-1.ipynb")}
    found = collect(course, LESSON, zipped(tmp_path / "one.zip", twice))
    assert found.fresh == ["ada"] and not any(each.grave for each in found.notices)


def test_what_lies_in_a_folder_of_many_speaks_for_none_of_them(course, book, tmp_path):
    """Whoever can put a file there could date back, or receipt, everybody's work."""
    files = {f"ada_{BOOK}": book("ada's"), f"emil_{BOOK}": book("emil's"), "timestamp.txt": ONE}
    assert collect(course, LESSON, lay(tmp_path / "drop", files)).fresh == ["ada", "emil"]
    assert all(stamp_of(course, who) > THREE for who in ("ada", "emil"))


def test_an_accent_that_is_written_apart_is_an_accent(course, book, tmp_path):
    """macOS takes é apart in names of files; what is left without it is another name."""
    (course.root / "roster.csv").write_text(ROSTER + "zoe,Jose,Diaz,\njdz,José,Díaz,\n", encoding="utf-8")
    for form in ("NFC", "NFD"):
        name = unicodedata.normalize(form, "José Díaz") + f"_111_assignsubmission_file_/{BOOK}"
        collect(course, LESSON, zipped(tmp_path / f"{form}.zip", {name: book(form)}))
        assert list(submitted(course)) == ["jdz"]


def test_a_folder_with_a_students_name_may_be_collected_itself(course, book, tmp_path):
    """As the remedies say; a time stamp in it counts, so that what seemed older can be made to count."""
    lay(tmp_path / "ada", {BOOK: book("first"), "timestamp.txt": ONE})
    assert collect(course, LESSON, tmp_path / "ada").fresh == ["ada"]
    lay(tmp_path / "ada", {BOOK: book("second"), "timestamp.txt": TWO})
    collect(course, LESSON, tmp_path / "ada")
    assert submitted(course) == {"ada": book("second")} and stamp_of(course, "ada") == TWO
    (course.root / "roster.csv").write_text("id,first_name,last_name,email\n", encoding="utf-8")
    assert collect(course, LESSON, lay(tmp_path / "downloads", {BOOK: book("whose?")})).fresh == []  # no student's name
    (course.root / "roster.csv").write_text(ROSTER, encoding="utf-8")
    lay(tmp_path / "emil", {f"lina_{BOOK}": book("lina's")})  # a file that says whose it is
    assert collect(course, LESSON, tmp_path / "emil").fresh == ["lina"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_nobody_hands_in_for_another_from_an_account_of_their_own(course, book):
    """Who may write to the exchange may call a folder there as they like; whose it is, the system knows."""
    (course.root / "roster.csv").write_text(ROSTER + "nobody,No,Body,\ndaemon,Da,Emon,\n", encoding="utf-8")
    uid = {name: pwd.getpwnam(name).pw_uid for name in ("nobody", "daemon", "bin")}
    early, late = ago(30), ago(10)

    def put(student, time, account, words):
        folder = lay(
            course.inbound / f"{student}+{LESSON}+{time}+{account}", {BOOK: book(words), "timestamp.txt": time}
        )
        for each in (folder, *folder.iterdir()):
            os.chown(each, uid.get(account, 0), -1)

    put("daemon", early, "daemon", "my own")
    put("daemon", late, "nobody", "not theirs")
    put("nobody", late, "nobody", "my own")
    put("lina", late, "bin", "from a service's account")
    put("ada", late, "root", "put there by the teacher")
    found = collect(course, LESSON)
    right = {"daemon": book("my own"), "nobody": book("my own"), "lina": book("from a service's account")}
    assert submitted(course) == right | {"ada": book("put there by the teacher")}
    (grave,) = [n for n in found.notices if n.grave]
    assert grave.who.startswith("daemon+") and "the account nobody" in grave.what.en
    shutil.rmtree(course.root / "submitted")
    by_formgrader(course)
    assert submitted(course) == right | {"ada": book("put there by the teacher")}


def test_whoever_may_be_the_owner_is_not_said_to_have_handed_in_nothing(course, book, tmp_path):
    found = collect(course, LESSON, lay(tmp_path / "folder", {f"Emil Post/{BOOK}": book("x")}))
    assert "could be any of emil, post2" in said(found)[f"Emil Post/{BOOK}"]
    assert found.missing == ["ada", "lina"]


def test_each_step_of_a_large_folder_is_told(course, book, tmp_path):
    """Reading is one half, the other is letting submitted/ hold the latest: both take their time."""
    told = []

    @contextlib.contextmanager
    def shown(steps):
        told.append(steps)
        yield told.append

    files = {f"{who}/{number}/{BOOK}": book(number) for who in ("ada", "lina") for number in ("one", "two")}
    collect(course, LESSON, lay(tmp_path / "folder", files | {f"mallory/{BOOK}": book("x")}), shown)
    assert told == [6, "ada", "ada", "lina", "lina", "ada", "lina"]


def test_ids_that_differ_in_case_only_are_two_students(course, book, tmp_path):
    (course.root / "roster.csv").write_text(ROSTER + "ADA,Adele,Goldberg,\n20-1,A,B,\n2-01,C,D,\n", encoding="utf-8")
    files = {f"{who}/{BOOK}": book(who) for who in ("ada", "ADA", "20-1", "2-01", "aDa", "201")}
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", files))
    assert submitted(course) == {who: book(who) for who in ("ada", "ADA", "20-1", "2-01")}
    assert sorted(n.who for n in found.notices if n.grave) == [f"201/{BOOK}", f"aDa/{BOOK}"]


def test_unknown_and_ambiguous_students_late_ones_and_copies_are_reported(course, book, tmp_path):
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate="2026-03-02 20:30:00 UTC")
    files = {
        f"mallory/{BOOK}": book("x"),
        f"Emil Post_1_assignsubmission_file_/{BOOK}": book("x"),
        f"ada/{BOOK}": book("same"),
        "ada/timestamp.txt": TWO.encode(),
        f"lina/{BOOK}": book("same"),
        "lina/timestamp.txt": ONE.encode(),
        f"emil/{BOOK}": (course.path("release", ".", LESSON) / BOOK).read_bytes(),
        f"post2/{BOOK}": (course.path("release", ".", LESSON) / BOOK).read_bytes(),
        "emil/timestamp.txt": ONE.encode(),
        "post2/timestamp.txt": ONE.encode(),
    }
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", files))
    assert found.fresh == ["ada", "emil", "lina", "post2"]
    told = said(found)
    assert told.pop(f"mallory/{BOOK}").startswith("Nobody on the roster (roster.csv) has this name: mallory. Add ")
    assert "any of emil, post2" in told.pop(f"Emil Post_1_assignsubmission_file_/{BOOK}")
    assert told.pop("ada") == "Late by 0:30:00."
    assert told.pop("ada, lina") == "They handed in the same file, byte for byte."
    assert told == {}  # two untouched releases are alike, and that says nothing
    assert [n.who for n in found.notices if n.grave] == [
        f"Emil Post_1_assignsubmission_file_/{BOOK}",
        f"mallory/{BOOK}",
    ]


def test_another_lessons_notebook_where_a_platform_takes_in_this_one_is_said(course, book, tmp_path):
    files = {
        f"Ada Lovelace_1_assignsubmission_file_/{BOOK}": book("mine"),
        "Ada Lovelace_1_assignsubmission_file_/00_warmup.ipynb": book("another, besides"),
        "李娜_2_assignsubmission_file_/00_warmup.ipynb": book("the wrong one"),
        "emil/00_warmup.ipynb": book("in a folder that holds all lessons"),
    }
    found = collect(course, LESSON, zipped(tmp_path / "all.zip", files))
    assert list(said(found)) == ["李娜_2_assignsubmission_file_/00_warmup.ipynb"]
    assert "another lesson's notebook, and lina has handed in nothing" in "".join(said(found).values())


def test_answer_cells_that_are_missing_are_named(course, book, tmp_path):
    notebook = json.loads(book("x"))
    notebook["cells"] = [each for each in notebook["cells"] if each["id"] != "exp_log"]
    found = collect(course, LESSON, lay(tmp_path / "folder", {f"ada/{BOOK}": json.dumps(notebook)}))
    assert said(found)["ada"].startswith("Cells to be answered are missing from the notebook: exp_log.")


def test_what_cannot_be_graded_and_who_is_missing_are_said_at_once(course, book, tmp_path, capsys):
    other = json.loads(book("x"))
    for cell in other["cells"]:
        cell["id"] = cell["id"] + "_of_another_lesson"
        cell["metadata"] = {}
    source = lay(
        tmp_path / "folder",
        {
            f"ada/{BOOK}": "中文".encode("gbk"),
            f"lina/{BOOK}": json.dumps(other),
            "emil/我的作业 (final).ipynb": book("x"),
        },
    )
    found = collect(course, LESSON, source)
    told = said(found)
    assert "it is not UTF-8" in told["ada"] and "none of this lesson's answer cells" in told["lina"]
    assert found.fresh == ["ada", "lina"] and found.missing == ["post2"]  # emil has handed something in
    assert [n.who for n in found.notices if n.grave] == ["emil/我的作业 (final).ipynb"]
    assert "Under that name" in told["emil/我的作业 (final).ipynb"]
    assert cli.main(["--course", str(course.root), "collect", LESSON, str(source)]) == 1
    assert "nothing handed in yet: " in capsys.readouterr().out
    (source / "emil/我的作业 (final).ipynb").rename(source / "emil" / BOOK)
    assert collect(course, LESSON, source).fresh == ["emil"] and submitted(course)["emil"] == book("x")


def due(course: Course, when: str) -> None:
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=when)


def stamp_of(course: Course, student: str) -> str:
    return f"{course.coursedir().get_existing_timestamp(str(course.path('submitted', student, LESSON)))} UTC"


def by_formgrader(course: Course) -> str:
    from nbgrader.apps import NbGraderAPI

    answer = NbGraderAPI(config=course.config).collect(LESSON)
    assert answer["success"], answer
    return answer["log"]


@pytest.mark.filterwarnings("ignore:unclosed file .*timestamp:ResourceWarning")  # nbgrader's own
def test_a_forged_time_stamp_is_said_and_does_not_help(course, book):
    """In the exchange a student may write any time into the stamp and give the file any date, but for one."""
    due(course, ago(3600))
    early, honest, before = ago(7200), ago(5), datetime.now(UTC)
    forged = course.inbound / f"ada+{LESSON}+{early}+x"
    lay(forged, {BOOK: book("late"), "timestamp.txt": early})
    os.utime(forged / BOOK, (1, 1))
    lay(course.inbound / f"lina+{LESSON}+{honest}+y", {BOOK: book("late, too"), "timestamp.txt": honest})

    log = by_formgrader(course)
    assert "earlier than" in log and "以后者为准" in log
    by_button = stamp_of(course, "ada")
    shutil.rmtree(course.root / "submitted")

    told = [(n.who, n.what.en, n.what.zh) for n in collect(course, LESSON).notices]
    (doubt, late), (also_late,) = [t for t in told if t[0] == "ada"], [t for t in told if t[0] == "lina"]
    assert "1:59:5" in doubt[1] or "2:00:0" in doubt[1]
    assert "when the file arrived" in doubt[1] and "以后者为准" in doubt[2]
    assert late[1].startswith("Late by 1:00:") and also_late[1].startswith("Late by ")
    assert stamp_of(course, "ada") == by_button and stamp_of(course, "lina") == honest
    assert datetime.fromisoformat(by_button.replace(" UTC", "+00:00")) >= before
    assert collect(course, LESSON).known == ["ada", "lina"]
    assert len(list((course.root / "collected").glob(f"{LESSON}/*/*"))) == 2


@pytest.mark.filterwarnings("ignore:unclosed file .*timestamp:ResourceWarning")  # nbgrader's own
def test_a_time_stamp_that_has_not_come_yet_is_said_and_later_work_counts(course, book):
    """A laptop whose clock is wrong: its receipt says the same, and what its owner corrects comes with a right one."""
    ahead, before = ago(-100 * 86400), datetime.now(UTC)
    lay(
        course.inbound / f"ada+{LESSON}+{ahead}+x",
        {
            BOOK: book("first"),
            "timestamp.txt": ahead,
            "receipt.json": json.dumps({"sha256": submission_hash(book("first")), "time": ahead}),
        },
    )
    ((who, doubt),) = [(n.who, n.what) for n in collect(course, LESSON).notices]
    assert who == "ada" and ahead[:19] in doubt.en and "later than when the file arrived" in doubt.en
    assert re.search(r"(99|100) days, \d+:\d\d:\d\d later", doubt.en)
    assert re.search(r"晚 (99|100) 天 \d+:\d\d:\d\d", doubt.zh) and "以早的为准" in doubt.zh
    first = stamp_of(course, "ada")
    assert abs(datetime.fromisoformat(first.replace(" UTC", "+00:00")) - before) < timedelta(minutes=1)
    assert collect(course, LESSON).known == ["ada"] and stamp_of(course, "ada") == first
    assert len(list((course.root / "collected").glob(f"{LESSON}/ada/*"))) == 1

    now = ago(-1)
    lay(course.inbound / f"ada+{LESSON}+{now}+y", {BOOK: book("corrected"), "timestamp.txt": now})
    assert collect(course, LESSON).fresh == ["ada"] and submitted(course)["ada"] == book("corrected")
    shutil.rmtree(course.root / "submitted")
    assert "later than" not in by_formgrader(course) and submitted(course)["ada"] == book("corrected")


def test_where_nothing_tells_when_it_came_a_stamp_to_come_is_as_old_as_its_collecting(course, book, tmp_path):
    """Each collection would else find it newer than what came after it."""
    source = lay(tmp_path / "folder", {f"ada/{BOOK}": book("first"), "ada/timestamp.txt": ago(-(10**8))})
    os.utime(source / "ada" / BOOK, (2**32, 2**32))
    assert "first collected" in said(collect(course, LESSON, source))["ada"]
    first = stamp_of(course, "ada")
    assert collect(course, LESSON, source).known == ["ada"]
    later = lay(tmp_path / "later", {f"ada/{BOOK}": book("corrected"), "ada/timestamp.txt": ago(0)})
    assert collect(course, LESSON, later).fresh == ["ada"]
    assert collect(course, LESSON, source).known == ["ada"] and submitted(course)["ada"] == book("corrected")
    assert first < stamp_of(course, "ada") and len(list((course.root / "collected").glob(f"{LESSON}/ada/*"))) == 2


def test_a_stamp_that_was_once_believed_bars_nothing_now(course, book, tmp_path):
    lay(course.root, {f"collected/{LESSON}/ada/20991231T000000000000_abc/{BOOK}": book("first")})
    collect(course, LESSON, lay(tmp_path / "folder", {f"ada/{BOOK}": book("corrected")}))
    assert submitted(course)["ada"] == book("corrected")


def test_the_local_times_of_a_zip_are_not_taken_for_times_to_come(course, book, tmp_path):
    """East of Greenwich they lie ahead; what is stamped in a platform's folder may be later than its local time."""
    there = (datetime.now(UTC) + timedelta(hours=8)).timetuple()[:6]
    west = (datetime.now(UTC) - timedelta(hours=8)).timetuple()[:6]
    folder = "Ada Lovelace_8123_assignsubmission_file_"
    files = {
        zipfile.ZipInfo(f"lina/{BOOK}", there): book("east"),
        zipfile.ZipInfo(f"{folder}/{BOOK}", west): book("west"),
        f"{folder}/timestamp.txt": ago(60).encode(),
    }
    assert said(collect(course, LESSON, zipped(tmp_path / "all.zip", files))) == {}


def test_a_receipt_later_than_the_time_stamp_is_believed(course, book, tmp_path):
    due(course, "2026-03-02 20:30:00 UTC")
    files = {
        f"ada/{BOOK}": book("x"),
        "ada/timestamp.txt": ONE,
        "ada/receipt.json": json.dumps({"sha256": submission_hash(book("x")), "time": TWO}),
        f"lina/{BOOK}": book("y"),
        "lina/timestamp.txt": ONE,
        "lina/receipt.json": json.dumps({"sha256": submission_hash(book("y")), "time": [THREE]}),
    }
    found = collect(course, LESSON, lay(tmp_path / "folder", files))
    stamp, late = [(n.who, n.what.en) for n in found.notices]
    assert stamp[0] == late[0] == "ada" and late[1] == "Late by 0:30:00."
    assert "1:00:00 earlier than the time on its receipt (2026-03-02 21:00:00 UTC)" in stamp[1]


# In Canvas's zip, where all lie in one folder, a stamp is nobody's; in a Moodle folder it is its student's, and is told.
@pytest.mark.parametrize(
    ("name", "told"),
    [("Ada Lovelace_8123_assignsubmission_file_/", ["earlier than"]), ("lovelaceada_101_202_", [])],
)
def test_a_time_stamp_uploaded_to_a_learning_platform_is_not_believed(course, book, tmp_path, name, told):
    """The platform's zip says when a file was uploaded; what lies beside it, its student chose."""
    due(course, "2026-03-02 20:30:00 UTC")
    entry = zipfile.ZipInfo(name + BOOK, (2026, 3, 2, 21, 0, 0))
    stamps = {f"{name.rpartition('/')[0]}/timestamp.txt".lstrip("/"): ONE.encode()}
    notices = collect(course, LESSON, zipped(tmp_path / "all.zip", {entry: book("late"), **stamps})).notices
    assert all(words in notice.what.en for words, notice in zip([*told, "Late by 0:30:00."], notices, strict=True))
    assert stamp_of(course, "ada").startswith("2026-03-02 21:00:00")


def test_a_year_before_there_were_computers_is_no_time(course, book, tmp_path):
    source = lay(tmp_path / "f", {f"ada/{BOOK}": book("x"), "ada/timestamp.txt": "0999-12-31 00:00:00 UTC"})
    collect(course, LESSON, source)
    assert stamp_of(course, "ada").startswith("20")


def test_a_receipt_of_other_bytes_is_noticed(course, book, tmp_path):
    receipt = json.dumps({"sha256": "f" * 64})
    found = collect(course, LESSON, lay(tmp_path / "f", {f"ada/{BOOK}": book("x"), "ada/receipt.json": receipt}))
    assert said(found) == {"ada": "The receipt belongs to another file (ffffffffffff)."}
    broken = lay(tmp_path / "g", {f"lina/{BOOK}": book("x"), "lina/receipt.json": b"[" * 60000})
    assert said(collect(course, LESSON, broken)) == {"lina": "The receipt belongs to another file (?)."}


@pytest.mark.sandbox
def test_nbgraders_own_collecting_and_grading_take_no_more(course, book, tmp_path):
    """Its stock collecting copies what a link leads to, and its grading takes all files along into the feedback."""
    from nbgrader.exchange import ExchangeFactory

    secret = lay(tmp_path / "elsewhere", {"secret.txt": "the teacher's"}) / "secret.txt"
    box = lay(course.inbound, {f"ada+{LESSON}+{ONE}+x/{BOOK}": book("x"), f"ada+{LESSON}+{ONE}+x/a.py": ""})
    (box / f"ada+{LESSON}+{ONE}+x" / "stolen.txt").symlink_to(secret)
    (box / f"ada+{LESSON}+{ONE}+x" / "timestamp.txt").symlink_to(secret)
    directory = course.coursedir()
    directory.assignment_id = LESSON
    factory = ExchangeFactory(config=course.config)
    factory.Collect(coursedir=directory, config=course.config).start()
    folder = course.path("submitted", "ada", LESSON)
    assert sorted(os.listdir(folder)) == sorted([BOOK, "timestamp.txt"])
    assert "teacher" not in (folder / "timestamp.txt").read_text()  # a time of ours, not what the link led to
    (folder / "stolen.txt").symlink_to(secret)
    lay(folder, {"more/helper.py": "", "timestamp.txt": ONE})
    course.nbgrader("autograde", LESSON, "ada")
    assert sorted(os.listdir(course.path("autograded", "ada", LESSON))) == sorted([BOOK, "timestamp.txt"])
    (folder / BOOK).unlink()
    (folder / BOOK).symlink_to(secret)
    course.nbgrader("autograde", LESSON, "ada")
    assert "the teacher's" not in (course.path("autograded", "ada", LESSON) / BOOK).read_text()
    (result,) = grade(LESSON, course=course)
    assert result.status == "ungradable"


def test_nbgrader_finds_its_exchange():
    from nbgrader.apps.api import NbGraderAPI

    course = Course()
    api = NbGraderAPI(config=course.config)
    assert not api.exchange_missing and api.exchange_is_functional
    assert Path(api.exchange_root) == course.root / "exchange"


def test_that_all_is_well_is_said_as_well(course, book, tmp_path, capsys):
    everybody = {f"{student}/{BOOK}": book(student) for student in course.people()}
    assert cli.main(["--course", str(course.root), "collect", LESSON, str(lay(tmp_path / "in", everybody))]) == 0
    told = capsys.readouterr().out
    assert f"{len(everybody)} collected" in told and f"新收 {len(everybody)} 份" in told and "│" not in told


def test_the_command(course, book, tmp_path, capsys):
    source = lay(tmp_path / "folder", {f"ada/{BOOK}": book("x"), f"mallory/{BOOK}": book("y")})
    assert cli.main(["--course", str(course.root), "collect", LESSON, str(source)]) == 1
    told = capsys.readouterr().out
    assert (
        told.startswith(f"{LESSON} 收作业 · collect …")
        and "1 collected" in told
        and "新收 1 份" in told
        and "mallory" in told
    )
    assert cli.main(["--course", str(course.root), "collect", LESSON, str(tmp_path / "nowhere")]) == 1
    told = capsys.readouterr().err
    assert "neither a folder nor a zip" in told and "→" in told


def test_what_was_said_stays_in_the_course_and_in_the_report(course, book, tmp_path):
    """The terminal is gone by the time somebody asks; a place that is collected from again has its latest word."""
    many = lay(
        tmp_path / "many", {f"ada/{BOOK}": book("same"), f"emil/{BOOK}": book("same"), "</td>zoe/notes.txt": "x"}
    )
    few = lay(tmp_path / "few", {f"nobody/{BOOK}": book("whose?")})
    for source in (many, few, many):
        collect(course, LESSON, source)
    assert list(noted(course, LESSON)) == [str(many), str(few)]
    page = report.write(course, [LESSON])[1].read_text(encoding="utf-8")
    for words in (
        "ada, emil",
        "They handed in the same file",
        "&lt;/td&gt;zoe/notes.txt",
        "Nobody on the roster",
        str(few),
    ):
        assert words in page
    (many / "emil" / BOOK).write_bytes(book("another"))
    shutil.rmtree(many / "<")
    collect(course, LESSON, many)
    page = report.write(course, [LESSON])[1].read_text(encoding="utf-8")
    assert "They handed in the same file" not in page and "Nobody on the roster" in page
    (course.root / "collected" / f"{LESSON}.json").write_bytes(b"{")
    assert noted(course, LESSON) == {} and report.write(course, [LESSON])


def test_who_was_given_an_extension_is_late_only_after_it(course, book, tmp_path):
    hand_in = datetime.now(UTC).replace(tzinfo=None, microsecond=0) - timedelta(hours=2)
    files = {
        f"{who}/{name}": data
        for who in ("ada", "emil")
        for name, data in [(BOOK, book(who)), ("timestamp.txt", f"{hand_in}.0 UTC")]
    }
    source = lay(tmp_path / "folder", files)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=hand_in - timedelta(hours=1))
        gradebook.update_or_create_student("emil")
        gradebook.update_or_create_submission(LESSON, "emil")
        gradebook.grant_extension(LESSON, "emil", hours=3)
    assert {who for who, what in said(collect(course, LESSON, source)).items() if "Late by" in what} == {"ada"}


def test_an_empty_roster_is_said_to_be_empty(course, book, tmp_path):
    """Every name of a folder is then taken for an id, and nobody is missed."""
    (course.root / "roster.csv").write_text("id,first_name,last_name,email\n")
    found = collect(course, LESSON, lay(tmp_path / "folder", {f"adda/{BOOK}": book("mine")}))
    assert found.fresh == ["adda"] and "The roster is empty" in said(found)["roster.csv"]
