"""Writes environment.yml, the conda user's way to the same packages, from pyproject and constraints.txt.

`--check` writes nothing and fails if the file is not what would be written. The Python packages go into the
pip section on purpose: there they are the very builds that `make` installs and that the tests ran on.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "environment.yml"

HEADER = """\
# 给 conda 用户，与 `make` 装的是同一组包。由 `make generate` 写成，请勿手改。
# For conda users: the same packages that `make` installs. Written by `make generate`; do not edit.
#
#   conda env create -f environment.yml && conda activate minigrad-lessons
#   python -m autograder demo
#
# 评分还需要系统里的 bubblewrap（conda 没有它）：sudo apt-get install bubblewrap
# Grading also needs bubblewrap, which comes from the system, not from conda: sudo apt-get install bubblewrap
"""


def names(requirements: list[str]) -> list[str]:
    """The bare names of requirements such as "numpy>=2.2,<3" or "psycopg[binary]>=3"."""
    return [re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0] for requirement in requirements]


def pinned() -> dict[str, str]:
    """name -> version, from constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def render() -> str:
    """The text of environment.yml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = sorted(names(project["dependencies"] + project["optional-dependencies"]["dev"]))
    pins = pinned()
    lines = [
        f"name: {project['name']}",
        "channels: [conda-forge]",
        "dependencies:",
        "  - python >=3.11,<3.14",
        "  - graphviz",
        "  - make",
        f"  - pip {pins['pip']}",
        "  - pip:",
        "      - --constraint constraints.txt",
        "      # Linux: torch without the gigabytes of CUDA libraries that nothing here uses.",
        "      - --extra-index-url https://download.pytorch.org/whl/cpu",
        *(f"      - {name}=={pins[name]}" for name in wanted),
        "      - --editable .",
    ]
    return HEADER + "\n".join(lines) + "\n"


def main() -> int:
    """Write the file, or with --check compare it."""
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(render(), encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != render():
        print("✗ environment.yml 不是最新的 · is not current: make generate", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
