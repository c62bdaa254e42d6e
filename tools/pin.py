"""Writes constraints.txt: an exact version of every package that pyproject.toml brings in, extras included.

`make pins` keeps the current versions and adds missing ones; `make pins ARGS=--upgrade` takes the
newest that pyproject's ranges allow. Run it under the lowest Python we support: what resolves there also
serves the newer ones. It asks pip and writes one file; it installs nothing.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

LOWEST = (3, 11, 2)  # Debian 12's; some packages want a later 3.11 than that

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "constraints.txt"
# The oldest pip that tells its progress in numbers (see progress.py); no package depends on pip itself.
PIP = "pip>=25"

HEADER = """\
# 每个包的确切版本，由 `make pins` 写成；环境按它安装。
# The exact version of every package, written by `make pins`; environments are installed by it.
# torch 自带的 CUDA 库由 torch 自己钉住。 The CUDA libraries of torch's own are pinned by torch itself.
"""


def canonical(name: str) -> str:
    """The name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def resolve(requirements: list[str], constraints: list[str]) -> dict[str, str]:
    """What pip would install for `requirements`: {canonical name: version without a local tag}."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, report = Path(folder, "constraints.txt"), Path(folder, "report.json")
        wanted.write_text("\n".join(constraints), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        subprocess.run([*command, "--report", report, "--constraint", wanted, *requirements], check=True)
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    pins = {canonical(item["metadata"]["name"]): item["metadata"]["version"] for item in installs}
    return {name: version.partition("+")[0] for name, version in pins.items()}


def main() -> None:
    """Resolve everything in one go, so that the pins agree with each other, and write them in order."""
    if sys.version_info[:3] > LOWEST:
        wanted = ".".join(map(str, LOWEST))
        print(
            f"! 这些版本未必适合 Python {wanted} · these versions may not suit Python {wanted}",
            file=sys.stderr,
        )
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="forget the current versions")
    keep = not parser.parse_args().upgrade and TARGET.exists()
    standing = TARGET.read_text(encoding="utf-8").splitlines() if keep else []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    pins = resolve([*project["dependencies"], *extras, PIP], standing)
    lines = "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))
    TARGET.write_text(HEADER + lines, encoding="utf-8")
    print(f"{TARGET.name}: {len(pins)}")


if __name__ == "__main__":
    main()
