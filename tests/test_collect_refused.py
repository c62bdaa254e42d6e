"""Collecting what nobody should hand in: ways out, bombs, links, devices, folders without end."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from collect_tools import BOOK, LESSON, ago, lay, said, submitted, zipped

from autograder import sources
from autograder.collect import collect
from autograder.errors import AutograderError
from autograder.feedback import feedback
from autograder.grade import grade
from autograder.records import submission_hash
from autograder.submitted import NOTE, handed_in
from autograder.summary import summarise
from autograder.terminal import screen
from autograder.transplant import MAX_BYTES

pytest_plugins = ["collect_tools"]  # the fixtures


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"../../ada/{BOOK}", "points elsewhere"),
        (f"ada/../../../{BOOK}", "points elsewhere"),
        (f"/tmp/ada/{BOOK}", "points elsewhere"),
        (f"C:/ada/{BOOK}", "points elsewhere"),
        (f"..\\..\\ada\\{BOOK}", "points elsewhere"),
        (".", "points elsewhere"),
        (link(f"ada/{BOOK}"), "link"),
        (link("ada"), "link"),
    ],
)
def test_an_entry_that_leads_out_is_refused_and_the_rest_is_taken(course, book, tmp_path, name, why):
    before = sorted(tmp_path.rglob("*"))
    archive = zipped(tmp_path / "all.zip", {name: b"/etc/passwd", f"lina/{BOOK}": book("mine")})
    found = collect(course, LESSON, archive)
    (notice,) = found.notices
    assert notice.grave and why in notice.what.en and notice.what.zh
    assert submitted(course) == {"lina": book("mine")}
    new = {p.relative_to(tmp_path).parts[:2] for p in set(tmp_path.rglob("*")) - set(before)}
    assert new <= {("all.zip",), ("course", "collected"), ("course", "submitted"), ("course", ".lock")}


def look(course) -> dict[str, tuple[str, str]]:
    """What grading says of ada, emil and post2, none of whom has anything to run, and then the class report."""
    grade(LESSON, [each for each in course.students(LESSON) if each != "lina"], course=course, unsafe=True)
    return {row.student: (row.state, (row.reason or {}).get("en", "")) for row in summarise(course, LESSON).rows}


def test_a_notebook_too_large_to_be_graded_is_kept_and_asks_for_a_person(course, book, tmp_path):
    large = book("x" * MAX_BYTES)
    found = collect(course, LESSON, lay(tmp_path / "folder", {f"ada/{BOOK}": large, f"lina/{BOOK}": book("mine")}))
    assert found.fresh == ["ada", "lina"] and found.missing == ["emil", "post2"]
    assert "too large: more than 16 MiB" in said(found)["ada"]
    (kept,) = (course.root / "collected" / LESSON / "ada").iterdir()
    assert submitted(course)["ada"] == (kept / BOOK).read_bytes() == large
    state, why = look(course)["ada"]
    assert state == "ungradable" and "more than 16 MiB" in why
    assert course.ledger.latest(LESSON, "ada").submission == submission_hash(large)
    assert [page.parent.parent.name for page in feedback(course, LESSON)] == ["ada"]


def test_a_student_from_whom_nothing_could_be_taken_has_not_handed_in_nothing(course, book, tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.collect.MOST_KEPT", 2**20)
    folder = lay(tmp_path / "folder", {f"ada/{BOOK}": book("x" * 2**20), f"lina/{BOOK}": book("mine")})
    found = collect(course, LESSON, folder)
    assert submitted(course) == {"lina": book("mine")} and found.missing == ["emil", "post2"]
    states = look(course)
    assert states["ada"][0] == "ungradable" and states["emil"] == ("missing", "")
    assert f", folder: ada/{BOOK} was refused: Too large" in states["ada"][1]
    (page,) = feedback(course, LESSON)  # it gives the reason
    assert page.parent.parent.name == "ada" and "Too large" in (said := page.read_text(encoding="utf-8"))
    assert str(tmp_path) not in said
    lay(folder, {f"ada/{BOOK}": book("hers"), f"lina/{BOOK}": book("x" * 2**20)})
    collect(course, LESSON, folder)  # of two, the one that could be taken counts
    assert submitted(course) == {"lina": book("mine"), "ada": book("hers")}
    assert not (course.path("submitted", "ada", LESSON) / NOTE).exists()


def test_bombs_are_refused(course, book, tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.collect.MOST_KEPT", 30 * 2**20)
    archive = zipped(tmp_path / "all.zip", {f"ada/{BOOK}": bytes(40 * 2**20), f"lina/{BOOK}": book("mine")})
    assert archive.stat().st_size < 200_000
    found = collect(course, LESSON, archive)
    assert submitted(course) == {"lina": book("mine")} and "Too large" in said(found)[f"ada/{BOOK}"]
    monkeypatch.setattr(sources, "MOST_BYTES", 2**20)
    with pytest.raises(AutograderError, match="not unpacked") as error:
        collect(course, LESSON, archive)
    assert "不解压" in str(error.value) and "→" in str(error.value)
    monkeypatch.undo()
    monkeypatch.setattr(sources, "MOST_FILES", 1)
    with pytest.raises(AutograderError, match="not unpacked"):
        collect(course, LESSON, archive)


def test_a_size_that_an_entry_lies_about_does_not_help(course, book, tmp_path):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"ada/{BOOK}", bytes(40 * 2**20))
    data = made.getvalue().replace((40 * 2**20).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    (tmp_path / "all.zip").write_bytes(data)
    found = collect(course, LESSON, tmp_path / "all.zip")
    assert submitted(course) == {} and "damaged" in said(found)[f"ada/{BOOK}"]


def test_damaged_archives(course, book, tmp_path):
    archive = zipped(tmp_path / "all.zip", {f"ada/{BOOK}": os.urandom(5000), f"lina/{BOOK}": book("mine")})
    data = bytearray(archive.read_bytes())
    data[1000:1100] = bytes(100)
    archive.write_bytes(data)
    found = collect(course, LESSON, archive)
    assert submitted(course) == {"lina": book("mine")} and "damaged" in said(found)[f"ada/{BOOK}"]
    archive.write_bytes(data[:2000])
    with pytest.raises(AutograderError, match="damaged, or not all of it"):
        collect(course, LESSON, archive)


def test_links_devices_and_extra_files_in_a_folder(course, book, tmp_path):
    secret = lay(tmp_path / "elsewhere", {BOOK: book("the teacher's")})
    folder = lay(tmp_path / "folder", {f"lina/{BOOK}": book("mine"), "lina/helper.py": "", "lina/.DS_Store": ""})
    (folder / "ada").mkdir()
    (folder / "ada" / BOOK).symlink_to(secret / BOOK)
    (folder / "emil").symlink_to(secret)
    (folder / "post2").mkdir()
    os.mkfifo(folder / "post2" / BOOK)
    found = collect(course, LESSON, folder)
    assert submitted(course) == {"lina": book("mine")}
    assert sorted(os.listdir(course.path("submitted", "lina", LESSON))) == sorted([BOOK, "timestamp.txt"])
    told = said(found)
    assert "link" in told[f"ada/{BOOK}"] and "link" in told["emil"] and "regular" in told[f"post2/{BOOK}"]
    assert told["lina/helper.py"] == f"Not taken: only {BOOK} is collected."
    assert len(told) == 4
    assert {"ada", "post2"}.isdisjoint(found.missing) and "emil" in found.missing  # the first two handed something in
    why = {student: handed_in(course, student, LESSON) for student in ("ada", "post2")}
    assert all(data is None for data, _ in why.values())
    assert "a link, and links are not followed" in why["ada"][1]["en"] and "not a regular file" in why["post2"][1]["en"]


def test_what_is_encrypted_was_handed_in_all_the_same(course, book, tmp_path):
    archive = zipped(tmp_path / "all.zip", {f"ada/{BOOK}": book("x"), f"lina/{BOOK}": book("mine")})
    data = bytearray(archive.read_bytes())
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # of ada's entry, the first of both kinds
        data[data.index(head) + flags] |= 1
    archive.write_bytes(data)
    found = collect(course, LESSON, archive)
    assert said(found)[f"ada/{BOOK}"] == "It is encrypted." and "ada" not in found.missing
    assert submitted(course) == {"lina": book("mine")}
    assert "It is encrypted" in handed_in(course, "ada", LESSON)[1]["en"]


def test_folders_deeper_than_the_system_can_name_stop_nobody(course, book, tmp_path):
    folder = lay(tmp_path / "folder", {f"ada/{BOOK}": book("x"), f"lina/{BOOK}": book("mine")})
    with contextlib.chdir(folder / "ada"):
        for _ in range(25):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
    found = collect(course, LESSON, folder)
    assert submitted(course) == {"ada": book("x"), "lina": book("mine")}
    assert [n.grave for n in found.notices] == [True]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{LESSON}_final.ipynb", "must be called"),
        (f"{LESSON}-Copy.ipynb", "must be called"),
        ("Untitled.ipynb", "must be called"),
        (f"{BOOK}.txt", "must be called"),
        (f"{BOOK}.json", "must be called"),
        (f"{LESSON}.json", "must be called"),
        (f".ipynb_checkpoints/{LESSON}-checkpoint.ipynb", "automatic copy"),
        (".ipynb_checkpoints/01_tensor-checkpoint.ipynb", None),
        (f"{LESSON}.zip", "archive"),
        (f"{LESSON}.7z", "archive"),
        ("my 01_tensor.ipynb", None),
        ("00_warmup (2).ipynb", None),
    ],
)
def test_what_may_be_a_submission_is_not_passed_over_in_silence(course, book, tmp_path, name, why):
    """The student would be told that nothing came from them. Another lesson's notebook waits for its own collecting."""
    found = collect(
        course, LESSON, lay(tmp_path / "folder", {f"ada/{name}": book("mine"), f"lina/{BOOK}": book("hers")})
    )
    assert submitted(course) == {"lina": book("hers")}
    told = {n.who: n.what.en for n in found.notices if n.grave}
    assert told.keys() == ({f"ada/{name}"} if why else set())
    assert all(why in words for words in told.values())
    assert ("ada" in found.missing) == (why is None)
    if why:
        assert why in handed_in(course, "ada", LESSON)[1]["en"]


def test_a_checkpoint_beside_what_it_is_of_is_no_news(course, book, tmp_path):
    spare = f".ipynb_checkpoints/{LESSON}-checkpoint.ipynb"
    files = {f"{who}/{name}": book(who + name) for who in ("ada", "lina") for name in (BOOK, spare)}
    source = lay(tmp_path / "folder", files)
    assert said(collect(course, LESSON, source)) == {}
    (source / "ada" / BOOK).unlink()  # it has come before
    assert said(collect(course, LESSON, source)) == {} and submitted(course)["ada"] == book("ada" + BOOK)


@pytest.mark.parametrize("pack", [False, True])
def test_an_empty_folder_in_a_notebooks_place_was_handed_in(course, book, tmp_path, pack):
    source = lay(tmp_path / "folder", {f"lina/{BOOK}": book("hers"), f"emil/{BOOK}/{BOOK}": book("within")})
    (source / "ada" / BOOK).mkdir(parents=True)
    if pack:
        source = Path(shutil.make_archive(str(tmp_path / "all"), "zip", source))
    found = collect(course, LESSON, source)
    assert {n.who: n.what.en for n in found.notices} == {
        f"ada/{BOOK}": "It is an empty folder with a notebook's name, not a file."
    }
    assert submitted(course) == {"lina": book("hers"), "emil": book("within")} and "ada" not in found.missing
    assert "empty folder" in handed_in(course, "ada", LESSON)[1]["en"]


def test_a_source_of_another_lesson_is_told_from_an_empty_one(course, book, tmp_path):
    (notice,) = collect(course, LESSON, lay(tmp_path / "folder", {"ada/01_tensor.ipynb": book("mine")})).notices
    assert notice.who == "01_tensor" and "right place" in notice.what.en and not notice.grave
    (tmp_path / "empty").mkdir()
    (notice,) = collect(course, LESSON, tmp_path / "empty").notices
    assert notice.what.en == f"There is no notebook of {LESSON} here." and not notice.grave


def test_what_lies_in_another_lessons_folder_of_the_exchange_is_its_own_collectings_to_tell(course, book):
    lay(course.inbound, {f"ada+01_tensor+{ago(9)}+x/notes.ipynb": book("x"), f"lina+{LESSON}+{ago(9)}+x/{BOOK}": b""})
    assert [n.who for n in collect(course, LESSON).notices] == ["lina"]


def test_names_are_shown_whole_and_as_they_are(course, book, tmp_path, capsys):
    """Square brackets are markup to the library that draws the tables: a closing one, alone, would end the program."""
    name = "x[" + "long " * 30 + "/b] [conceal]seen :bomb:"
    folder = lay(tmp_path / "folder", {f"ada/{name}.txt": "", f"lina/{BOOK}": book("hers")})
    screen.print(collect(course, LESSON, folder).table())
    cells = "".join(line.split("│")[2].strip() for line in capsys.readouterr().out.splitlines() if "│" in line)
    assert f"ada/{name}.txt".replace(" ", "") in cells.replace(" ", "")
