"""nbgrader's exchange, read with distrust: what collects from it and gives feedback back, formgrader's buttons included.

Plugged in through course/nbgrader_config.py. `autograder collect` goes the way of collect.py; both follow no link, and
believe no time that something contradicts (sources.py).
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback

from autograder import sources
from autograder.course import NOTES, SECRET, STAMP, TIME
from autograder.files import Refused, put_folder, read_plain


class Collect(ExchangeCollect):
    """nbgrader's collecting, formgrader's button included, which takes no more than `autograder collect` does."""

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """Who handed in, and when; a time that is none is the earliest there is: it must not stop the others.

        One that had not come when the notebook did is none either, or nothing handed in later would be taken.
        """
        name = Path(path).name
        try:
            record = dict(super()._path_to_record(path))
        except (ValueError, ArithmeticError):
            return {"username": name.partition("+")[0], "filename": name, "timestamp": datetime(1970, 1, 1)}
        book = Path(path, f"{self.coursedir.assignment_id}.ipynb")
        about = (book if os.path.lexists(book) else Path(path)).lstat()
        arrived = datetime.fromtimestamp(about.st_ctime, UTC).replace(tzinfo=None)
        return record | ({"timestamp": arrived} if record["timestamp"] > arrived + sources.GRACE else {})

    def _sort_by_timestamp(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """A student's versions, the latest first; behind them what is no folder, or another's, of which nbgrader warns."""

        def trusted(record: dict[str, Any]) -> tuple[bool, bool]:
            about = Path(self.inbound_path, record["filename"]).lstat()
            return S_ISDIR(about.st_mode), sources.login(about) in (None, record["username"])

        return sorted(super()._sort_by_timestamp(records), key=trusted, reverse=True)

    def init_src(self) -> None:
        """Find what was handed in, and leave what is no folder."""
        super().init_src()
        for each in list(self.src_records):
            if not S_ISDIR(Path(self.inbound_path, each["filename"]).lstat().st_mode):
                self.log.warning("%s: 不是文件夹，没有收 · no folder, not taken", each["filename"])
                self.src_records.remove(each)

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the notebook and its notes. A link is not followed, whatever else lies there is left."""
        files = {}
        for name in (f"{self.coursedir.assignment_id}.ipynb", *NOTES):
            if not Path(src, name).is_symlink() and not Path(src, name).exists():
                continue
            try:
                files[name] = read_plain(Path(src), (name,), sources.MOST_KEPT)
            except Refused as refused:
                self.log.warning("%s/%s: %s", src, name, " · ".join(refused.why))
        if not sources.secret(files.get(SECRET)):
            files.pop(SECRET, None)
        for found in sources.folder(Path(src), exchange=True).notebooks(self.coursedir.assignment_id):
            time, doubt = found.handed_in()
            # Whatever was there, or nothing: it has to be a time.
            files[STAMP] = time.strftime(TIME).encode()
            if doubt:
                self.log.warning("%s: %s", src, " · ".join(doubt))
        put_folder(Path(dest), files)


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's releasing of feedback, which goes on where a submission came by another way than its exchange."""

    def copy_files(self) -> None:
        """Release every page that the exchange can hand back: its submission has a secret that only its student knows."""
        directory = self.coursedir
        folders = Path(directory.format_path(directory.feedback_directory, "x", "x")).parent.parent
        for folder in sorted(folders.glob(f"*/{directory.assignment_id}")):
            if not (folder / SECRET).is_file():
                student = folder.parent.name
                self.log.warning(
                    "%s: 不是经 exchange 交的，请另外交还 · not handed in here, give it back by hand", student
                )
                directory.student_id_exclude = ",".join(filter(None, [directory.student_id_exclude, student]))
        super().copy_files()
