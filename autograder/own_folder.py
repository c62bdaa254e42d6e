"""Where a learner's own things are kept, `my_parts` beside the lessons' folders, and the language chosen there.

    my_lessons/
        03_local_derivatives/03_local_derivatives.ipynb
        my_parts/language       "zh", "en" or "both": what language(…) was last told in any notebook

$MINIGRAD_MY_PARTS names another folder. Where nothing can be read or written, nothing is remembered, and nothing fails.

Not here: the parts that are kept in the same folder (workspace.py).
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from autograder import messages
from autograder.errors import AutograderError
from autograder.files import put

FOLDER = "my_parts"
LANGUAGE = "language"


def folder(beside: Path | None = None) -> Path:
    """Where this learner's things are kept: in `beside`, the folder of the lessons' folders, which is looked up."""
    if chosen := os.environ.get("MINIGRAD_MY_PARTS"):
        return Path(chosen)
    here = Path.cwd()
    lessons = here.parent if re.match(r"\d\d_|your_engine$", here.name) else here
    return (beside or lessons) / FOLDER


def remember_language(choice: str) -> None:
    """Keep the choice for other notebooks, and say so in what was chosen."""
    path = folder() / LANGUAGE
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, choice.encode())
        print(messages.text("language_both" if choice == "both" else "language_kept"))


def restore_language(beside: Path | None = None) -> None:
    """Go on in the language that was last chosen, if there is one: in `beside`, the folder of the lessons' folders."""
    with contextlib.suppress(OSError, ValueError, AutograderError):
        messages.language((folder(beside) / LANGUAGE).read_text(encoding="utf-8").strip())
