"""Where submissions come from, read with distrust: a folder (nbgrader's exchange is one) or a zip from an LMS.

A `Source` lists files and never follows where one leads: links, devices, names that are absolute or climb out,
encrypted, damaged or oversized entries are refused one by one, with the reason, and the rest is still read. A zip
is never extracted: its entries' names are looked at, its bytes are read up to a limit, and nothing in it decides
where anything is written. Only an archive that is none, or that would fill the disk, is refused as a whole.

A submission says itself when it was handed in (timestamp.txt, or its folder's name), and whoever wrote it can write
that, too. What contradicts it, the receipt or the time at which the file came into the exchange, is believed instead;
so is now, where it says a time that has not come yet: nothing handed in later would count.

Whose file it is, by its name, is decided in collect.py.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from autograder.course import RECEIPT, SECRET, STAMP
from autograder.errors import AutograderError
from autograder.files import Refused, read_plain
from autograder.messages import Text, duration, text

MOST_FILES = 200_000
MOST_BYTES = 4 * 2**30  # of all that an archive says it holds
MOST_KEPT = 256 * 2**20  # of one notebook: one that is too large to be graded is kept for the teacher all the same
SMALL = 65536  # a time, a receipt
GRACE = timedelta(minutes=2)  # that a time stamp may lie off what contradicts it: clocks differ, copying takes time
ZONES = timedelta(hours=14)  # that the local times in a zip, which name no time zone, may lie ahead of UTC
_CHECKPOINTS = ".ipynb_checkpoints"
_LITTER = {"__MACOSX", _CHECKPOINTS, ".DS_Store", "Thumbs.db", "desktop.ini"}
# How the folders and files of a submission are called.
_EXCHANGE = re.compile(r"(?P<who>.+)\+(?P<lesson>[^+]+)\+(?P<time>\d{4}-[^+]+?)(\+[^+]*)?")
_MOODLE = re.compile(r"(?P<who>.+?)_(?P<account>\d+)_assignsubmission_\w+")
_CANVAS = re.compile(r"(?P<who>.+?)_(?P<late>LATE_)?(?P<account>\d+)_\d+")
_COPY = r"(?:-Copy\d{1,3})*(?:[ _-]?\(?\d{1,3}\)?)?"
_DRIVE = re.compile(r"[A-Za-z]:")
_SECRET = re.compile(rb"[\x20-\x7e]{1,1000}\s*")
_BOOK = ".ipynb"
_NO_FILE = {stat.S_IFLNK: "file_is_link", stat.S_IFDIR: "file_is_folder"}
_SHOWN = "%Y-%m-%d %H:%M:%S UTC"


Beside = tuple[str, tuple[str, ...], str | None]  # where it lies, what its owner may be called, the account it is of


@dataclass(frozen=True)
class File:
    """One file: the names on the way to it, when it was written, and how to read so many bytes of it."""

    parts: tuple[str, ...]
    time: datetime | None
    read: Callable[[int], bytes] = field(repr=False, compare=False)
    arrived: datetime | None = None  # by the clock of the machine that it lies on, where that tells
    login: str | None = None  # whose it is on that machine, if not the reader's own
    ahead: timedelta = GRACE  # that its times may lie ahead of what they mean


@dataclass(frozen=True)
class Found:
    """A notebook of the lesson: `names` are what its owner may be called, the likeliest first; `time` is what it says.

    Where a platform has named its folder, that alone is its owner's name: whatever lies in it, its student named.
    `account` is the platform's number for them, who may call themselves what others are called.
    """

    where: str
    names: tuple[str, ...]
    late: bool
    time: datetime | None
    read: Callable[[int], bytes]
    beside: dict[str, File]
    arrived: datetime | None = None
    login: str | None = None
    written: datetime | None = None
    ahead: timedelta = GRACE
    account: str | None = None

    def handed_in(self, seen: datetime | None = None) -> tuple[datetime, Text | None]:
        """When it was handed in, to be judged by; and what is to be said where that is not what it says itself.

        `seen` is when these bytes were first collected: what tells no time that can be is not new each time.
        """
        now = datetime.now(UTC)
        time, most = self.time or self.arrived or now, min(self.arrived or now, now) + self.ahead
        arrival, receipt = text("time_of_arrival"), text("time_of_receipt")
        if time > most:
            collecting = text("time_of_collecting")
            told = ((self.arrived, arrival), (self.written, arrival), (seen, collecting))
            known = ((when, who) for when, who in told if when and when <= now + self.ahead)
            return self._not_as_stamped("stamp_too_late", time, *next(known, (now, collecting)))
        both = ((self.arrived, arrival), (_time_in(self.receipt()), receipt))
        latest, witness = max(((when, who) for when, who in both if when and when <= most), default=(time, arrival))
        if latest - time <= GRACE:
            return time, None
        return self._not_as_stamped("stamp_too_early", time, latest, witness)

    def _not_as_stamped(self, key: str, stamp: datetime, time: datetime, witness: Text) -> tuple[datetime, Text]:
        shown = {"stamp": f"{stamp:{_SHOWN}}", "time": f"{time:{_SHOWN}}"}
        return time, text(key, witness=witness, by=duration(abs(time - stamp)), **shown)

    def receipt(self) -> bytes | None:
        """The receipt that came with it."""
        return _small(self.beside.get(RECEIPT))

    def secret(self) -> bytes | None:
        """By what nbgrader's exchange will know the student's feedback."""
        return secret(_small(self.beside.get(SECRET)))


class Source:
    """Files by the folder they lie in, and what was refused, with the reason.

    What has a student's place and cannot be read (a link, an encrypted entry) is in both: its owner handed something in.
    `name` is the folder's own: it may be whose work lies straight in it.
    """

    def __init__(self, files: list[File], refused: list[tuple[str, Text]], name: str = ""):
        self.refused, self.name = refused, name
        self.boxes: dict[tuple[str, ...], dict[str, File]] = {}
        self.checkpoints: list[File] = []
        for each in files:
            if not (litter := _LITTER & set(each.parts)):
                self.boxes.setdefault(each.parts[:-1], {})[each.parts[-1]] = each
            elif litter == {_CHECKPOINTS} == {*each.parts[-2:-1]}:
                self.checkpoints.append(each)

    def notebooks(self, lesson: str) -> Iterator[Found]:
        """The lesson's notebooks, whoever handed them in."""
        for box, files in sorted(self.boxes.items()):
            exchange, platform, number = _platform(box)
            if exchange and exchange["lesson"] != lesson:
                continue
            for name, file in sorted(files.items()):
                if (owner := owner_in(name, lesson)) is None or _spare(name, files, lesson, exchange):
                    continue
                canvas = _CANVAS.fullmatch(owner)
                own = [canvas["who"] if canvas else owner] if owner else []
                names = [*([] if platform else own), *_named_by(box, lesson)] or [self.name] * bool(self.name)
                beside = {} if own and not platform else files  # where files say whose they are, the rest is nobody's
                time = _stamped(beside, exchange)
                late = bool(canvas and canvas["late"])
                where = "/".join(file.parts)
                when = time or file.time
                # What lies beside it in a learning platform, its student uploaded; the file's own time is the platform's.
                arrived = file.time if canvas or (platform and not exchange) else file.arrived
                account = number if platform else canvas and canvas["account"]
                rest = (file.read, beside, arrived, file.login, file.time, file.ahead, account)
                yield Found(where, tuple(names), late, when, *rest)

    def refused_beside(self, lesson: str) -> list[tuple[str, Text]]:
        """What was refused and is not among the lesson's notebooks, which say so when they are read."""
        its = {each.where for each in self.notebooks(lesson)}
        return [(where, why) for where, why in self.refused if where not in its]

    def beside(self, lesson: str, others: Collection[str] = ()) -> list[Beside]:
        """What lies there and is not taken: no notebook of this lesson or of the `others`, and nothing of ours.

        Each with the names of the folders that it lies in, as `Found` has them, and the account that it belongs to.
        """
        told = {where for where, _ in self.refused}
        return [
            (where, _named_by(box, lesson), file.login)
            for box, files in sorted(self.boxes.items())
            for exchange, *_ in [_platform(box)]
            if exchange is None or exchange["lesson"] == lesson
            for name, file in sorted(files.items())
            if (where := "/".join(file.parts)) not in told
            and name not in (STAMP, RECEIPT, SECRET)
            and (owner_in(name, lesson) is None or _spare(name, files, lesson, exchange))
            and all(owner_in(name, each) is None for each in others)
        ]

    def last_resorts(self, lesson: str) -> Iterator[Beside]:
        """Jupyter's checkpoints of the lesson's notebook: where nothing else came from a student, all of their work."""
        for file in self.checkpoints:
            box, name = file.parts[:-2], file.parts[-1].replace("-checkpoint.", ".")
            exchange, *_ = _platform(box)
            if owner_in(name, lesson) is not None and (exchange is None or exchange["lesson"] == lesson):
                yield "/".join(file.parts), _named_by(box, lesson), file.login


def owner_in(name: str, lesson: str) -> str | None:
    """What comes before the lesson's name in a file name ("" if nothing does); None if it is not the lesson's.

    A copy's name, a browser's "… (1)" or JupyterLab's "…-Copy1", is the lesson's, too.
    """
    match = re.fullmatch(rf"(?:(?P<who>.+?)[_+ -])?{re.escape(lesson)}{_COPY}\.ipynb", name, re.IGNORECASE)
    return None if match is None else match["who"] or ""


def _spare(name: str, files: dict[str, File], lesson: str, exchange: re.Match[str] | None) -> bool:
    """Whether it is a copy beside the notebook itself and one time holds for both: then only the notebook counts."""
    own = f"{lesson}.ipynb"
    return name != own and own in files and owner_in(name, lesson) == "" and _stamped(files, exchange) is not None


def _stamped(files: dict[str, File], exchange: re.Match[str] | None) -> datetime | None:
    """When what lies in a folder was handed in, by what lies there or the exchange's name for it."""
    return _time(_small(files.get(STAMP))) or _time(exchange and exchange["time"].encode())


def _platform(box: tuple[str, ...]) -> tuple[re.Match[str] | None, str | None, str | None]:
    """What the outermost folder that a platform has named says: the exchange's words for it, if it is its; the owner;
    the number of their account."""
    for name in box:
        if match := _EXCHANGE.fullmatch(name):
            return match, match["who"], None
        if match := _MOODLE.fullmatch(name):
            return None, match["who"], match["account"]
    return None, None, None


def _named_by(box: tuple[str, ...], lesson: str) -> tuple[str, ...]:
    """What the owner of what lies in these folders may be called: as a platform says and any folder around its own, in
    which a student could have laid the like; else after any of them."""
    outside, platform = next(
        ((box[:at], who) for at, name in enumerate(box) if (who := _platform((name,))[1])), (box, None)
    )
    return tuple(([platform] if platform else []) + [name for name in reversed(outside) if name != lesson])


def _small(file: File | None) -> bytes | None:
    try:
        return file.read(SMALL) if file else None
    except Refused:
        return None


def secret(words: bytes | None) -> bytes | None:
    """The content of a secret file, if it is a secret: nbgrader reads it as text, of all students one after the other."""
    return words if words and _SECRET.fullmatch(words) else None


def stamp(folder: Path) -> datetime | None:
    """When the submission in a folder says that it was handed in; None if it says nothing that is a time."""
    try:
        return _time(read_plain(folder, (STAMP,), SMALL))
    except (Refused, OSError):
        return None


def _time(words: bytes | None) -> datetime | None:
    from nbgrader.utils import parse_utc

    try:
        found: datetime = parse_utc((words or b"").decode().strip())
    except (ValueError, ArithmeticError):  # a number may be too much for its decimal arithmetic
        return None
    return found.replace(tzinfo=UTC) if found.year >= 1970 else None  # before, no name of a folder sorts by time


def _time_in(receipt: bytes | None) -> datetime | None:
    """When a receipt was given. It comes from the learner's machine: whatever does not fit is no time."""
    try:
        return _time(str(json.loads(receipt or b"")["time"]).encode())
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# ── a folder, a zip ──────────────────────────────────────────────────────────────────────────────


@contextmanager
def open_source(path: Path, exchange: bool = False) -> Iterator[Source]:
    """A folder or a zip, ready to be read. AutograderError if it is neither.

    In an exchange the files lie where students put them, so that the system knows when they came.
    """
    if path.is_dir():
        yield folder(path, exchange)
    elif path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield _zip(path, archive)
    elif path.is_file() and path.suffix.lower() == ".zip":
        raise AutograderError(text("broken_zip"), where=str(path), remedy=text("broken_zip_remedy"))
    else:
        raise AutograderError(text("no_source"), where=str(path), remedy=text("no_source_remedy"))


def folder(root: Path, exchange: bool = False) -> Source:
    """All that lies below a folder; see `open_source`."""
    files: list[File] = []
    refused: list[tuple[str, Text]] = []
    for here, below, names in os.walk(root):
        for name in [*below, *names]:
            path = Path(here, name)
            parts = path.relative_to(root).parts
            try:
                about = path.lstat()
            except OSError as error:  # a way too long for the system, or gone meanwhile
                refused.append(("/".join(parts), Text(*[error.strerror or str(error)] * 2)))
                continue
            if stat.S_ISDIR(about.st_mode) and not (name.endswith(_BOOK) and _is_empty(path)):
                continue
            # An owner can set the time of the last change (mtime) to any other; that of the entry (ctime), nobody.
            arrived = datetime.fromtimestamp(about.st_ctime, UTC) if exchange else None
            time = datetime.fromtimestamp(about.st_mtime, UTC)
            read = _reader(root, parts)
            if not stat.S_ISREG(about.st_mode):
                why = text(_NO_FILE.get(stat.S_IFMT(about.st_mode), "file_not_plain"))
                refused.append(("/".join(parts), why))
                read = _unreadable(why)
            files.append(File(parts, time, read, arrived, login(about) if exchange else None))
    return Source(files, refused, root.resolve().name)


def _is_empty(path: Path) -> bool:
    try:
        return not os.listdir(path)
    except OSError:
        return False


def login(about: os.stat_result) -> str | None:
    """The name of the account that a file belongs to; None if that is our own, or none."""
    import pwd  # there is none on Windows, nor an exchange

    try:
        return None if about.st_uid == os.geteuid() else pwd.getpwuid(about.st_uid).pw_name
    except KeyError:
        return None


def _reader(root: Path, parts: tuple[str, ...]) -> Callable[[int], bytes]:
    return lambda most: read_plain(root, parts, most)


def _unreadable(why: Text) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        raise Refused(why)

    return read


def _zip(path: Path, archive: zipfile.ZipFile) -> Source:
    names = archive.namelist()
    full = {f"{name.rstrip('/').rpartition('/')[0]}/" for name in names}
    hollow = {name for name in names if name.endswith(f"{_BOOK}/")} - full
    entries = [each for each in archive.infolist() if not each.is_dir() or each.filename in hollow]
    size = sum(each.file_size for each in entries)
    if len(entries) > MOST_FILES or size > MOST_BYTES:
        what = text("zip_bomb", files=f"{len(entries):,}", size=f"{size / 2**30:,.1f}")
        raise AutograderError(what, where=str(path), remedy=text("zip_bomb_remedy"))
    files: list[File] = []
    refused: list[tuple[str, Text]] = []
    for each in entries:
        if _leads_out(each.filename):
            refused.append((repr(each.filename)[1:-1][:200], text("name_leads_out")))
            continue
        parts, read = PurePosixPath(each.filename).parts, _entry_reader(archive, each)
        if why := _distrusted(each):
            refused.append(("/".join(parts), why))
            read = _unreadable(why)
        files.append(File(parts, _entry_time(each), read, ahead=ZONES))
    return Source(files, refused)


def _leads_out(name: str) -> bool:
    """Whether an entry's name is no place below the folder that an archive stands for."""
    climbs = name.startswith("/") or ".." in name.split("/") or bool(_DRIVE.match(name))
    return climbs or "\\" in name or not name.strip("./")


def _distrusted(entry: zipfile.ZipInfo) -> Text | None:
    """Why an entry is not even looked at."""
    kind = stat.S_IFDIR if entry.is_dir() else stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return text(_NO_FILE.get(kind, "file_not_plain"))
    return text("zip_encrypted") if entry.flag_bits & 1 else None


def _entry_time(entry: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*entry.date_time, tzinfo=UTC)
    except ValueError:
        return None


def _entry_reader(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        if entry.file_size > most:
            raise Refused(text("file_too_large", size=f"{entry.file_size:,}", most=f"{most:,}"))
        try:
            with archive.open(entry) as file:
                return file.read(most)
        except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError, zlib.error) as error:
            raise Refused(text("zip_damaged", error=str(error))) from None

    return read
