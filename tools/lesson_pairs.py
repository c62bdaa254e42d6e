"""Keeps the two languages of the lessons together: a fingerprint of every Chinese-English pair of cells.

    python tools/lesson_pairs.py            record the current pairs
    python tools/lesson_pairs.py --check    compare only

Whoever changes one language has to look at the other. A pair of which only one half changed is therefore refused;
`--one-sided` records it all the same, for a correction that concerns one language alone. What must match within a
pair (numbers, formulas, code) is the tests' business: tests/test_lesson_text.py.
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "source_notebooks"
RECORD = ROOT / "tests" / "data" / "lesson_pairs.txt"
CELL = re.compile(r"^# %%(?P<head>.*)\n(?P<body>(?:(?!# %%).*\n?)*)", re.MULTILINE)

Pairs = dict[str, dict[str, str]]  # lesson -> {fingerprint of the Chinese half: of the English half}


def pairs(lesson: Path) -> list[tuple[str, str]]:
    """The (Chinese, English) texts of a lesson source, in order."""
    cells = [(match["head"], match["body"].strip()) for match in CELL.finditer(lesson.read_text(encoding="utf-8"))]
    return [
        (body, cells[at + 1][1])
        for at, (head, body) in enumerate(cells[:-1])
        if "lang-zh" in head and "lang-en" in cells[at + 1][0]
    ]


def fingerprint(text: str) -> str:
    """Ten hexadecimal digits that change with every word of a text, but not with where its lines break."""
    return sha256(" ".join(text.replace("\n#", " ").split()).encode()).hexdigest()[:10]


def current() -> Pairs:
    """The current fingerprints of all lessons."""
    return {
        path.stem: {fingerprint(zh): fingerprint(en) for zh, en in pairs(path)}
        for path in sorted(SOURCES.glob("*/*.py"))
    }


def recorded() -> Pairs:
    """The fingerprints as they were recorded."""
    found: Pairs = {}
    for line in RECORD.read_text().splitlines() if RECORD.is_file() else ():
        lesson, zh, en = line.split()
        found.setdefault(lesson, {})[zh] = en
    return found


def one_sided(now: Pairs, before: Pairs) -> list[str]:
    """A line for each pair of which one half is as recorded and the other is not."""
    found = []
    for lesson, known in before.items():
        chinese = {en: zh for zh, en in known.items()}
        for zh, en in now.get(lesson, {}).items():
            if known.get(zh, en) != en:
                found.append(f"{lesson} {zh}: 只改了英文 · only the English changed")
            elif chinese.get(en, zh) != zh:
                found.append(f"{lesson} {zh}: 只改了中文 · only the Chinese changed")
    return found


def begins(lesson: str, number: str) -> str:
    """The first words of the pair whose Chinese half has this fingerprint."""
    path = next(SOURCES.glob(f"*/{lesson}.py"))
    return next((zh[:60] for zh, _ in pairs(path) if fingerprint(zh) == number), "")


def main() -> int:
    """Record or compare; 1 where a pair is one-sided or the record is not current."""
    now, before = current(), recorded()
    refused = [] if "--one-sided" in sys.argv[1:] else one_sided(now, before)
    for line in refused:
        lesson, number = line.split(":")[0].split()
        print(f"✗ {line}\n    {begins(lesson, number)}", file=sys.stderr)
    if refused:
        return 1
    text = "".join(f"{lesson} {zh} {en}\n" for lesson, known in now.items() for zh, en in known.items())
    if "--check" in sys.argv[1:]:
        stale = not RECORD.is_file() or RECORD.read_text() != text
        if stale:
            print("✗ 记录不是最新的，请运行 · not current, run: python tools/lesson_pairs.py", file=sys.stderr)
        return int(stale)
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
