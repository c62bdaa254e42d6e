"""Which runs of words the lessons must not share with the documents they grew from.

The documents are not ours to print, so only the hashes of their runs of ten words are kept (a Chinese character is a
word): data/seed_words.txt, written from a folder of documents by

    python tests/seed_words.py FOLDER
"""

import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

KEPT = Path(__file__).parent / "data" / "seed_words.txt"
RUN = 10


def words(text: str) -> list[str]:
    """Chinese characters one by one, other words and numbers whole; punctuation does not count."""
    return re.findall(r"[\u4e00-\u9fff]|[a-z_]+|\d+", text.lower())


def runs(text: str) -> Iterator[tuple[str, str]]:
    """(hash, run) of every ten words in a row."""
    found = words(text)
    for at in range(len(found) - RUN + 1):
        run = " ".join(found[at : at + RUN])
        yield sha256(run.encode()).hexdigest()[:8], run


def kept() -> set[str]:
    """The hashes of the documents' runs."""
    return set(KEPT.read_text().split())


def main() -> None:
    """Write the hashes of all documents in a folder."""
    hashes: set[str] = set()
    for path in sorted(Path(sys.argv[1]).iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            hashes |= {number for number, _ in runs(line)}
    KEPT.write_text("\n".join(sorted(hashes)) + "\n")
    print(f"{KEPT}: {len(hashes)}")


if __name__ == "__main__":
    main()
