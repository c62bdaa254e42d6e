"""How many instructions one step of minigrad takes, counted by valgrind: the same number each time, where clocks are noisy.

    python -m benchmarks.instructions [--only tiny,hessian] [--top 20]

It tells whether a change makes a step shorter, be it by a thousandth, and in which functions of C the instructions are. It
doesn't say how fast a step is: that depends on caches and branches as well, and engine.py measures it. Needs valgrind and
setarch, that is Linux.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.engines import TorchLike
from benchmarks.workloads import WORKLOADS

# Operations before those that are counted, and those: two runs are counted, and their difference leaves out imports and the
# first steps, in which Python adapts its bytecode.
FIRST, COUNTED = 100, 500
TOTAL = "PROGRAM TOTALS"
ROWS = {workload.key: workload for workload in WORKLOADS}
TOOLS = ("valgrind", "callgrind_annotate", "setarch")
MISSING = "没有找到 {0}；在 Debian 和 Ubuntu 上用 {1} 安装 · {0} was not found; {1} installs it on Debian and Ubuntu"
INSTALL = "apt install valgrind util-linux"


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 once everything is counted, 2 where that cannot be done here."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--only", default="tiny,hessian", help="这些行 · these rows: " + ",".join(ROWS))
    parser.add_argument("--top", type=int, default=0, help="再列出最多的几个函数 · name so many functions as well")
    parser.add_argument("--steps", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.steps:
        take_steps(options.steps[0], int(options.steps[1]))
        return 0
    rows = list(filter(None, options.only.split(",")))
    if unknown := [row for row in rows if row not in ROWS]:
        parser.error(f"没有这些行 · there are no such rows: {', '.join(unknown)}")
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        print(MISSING.format(", ".join(missing), INSTALL), file=sys.stderr)
        return 2
    for row in rows:
        print(f"{row}：数，要半分钟 · counting, which takes half a minute …", file=sys.stderr, flush=True)
        found = a_step(row)
        print(f"{row}: {found.pop(TOTAL):,} 条指令一步 · instructions a step", flush=True)
        for name, count in found.most_common(options.top):
            print(f"{count:12,} {name}")
    return 0


def take_steps(row: str, steps: int) -> None:
    """What is counted: so many steps of a row's workload, after everything is set up."""
    workload = ROWS[row]
    step, _ = TorchLike("minigrad").step(workload, workload.data(np.random.default_rng(7), False))
    gc.collect()
    gc.freeze()
    for _ in range(steps):
        step()


def a_step(row: str) -> Counter[str]:
    """The instructions of one step by function, and of all of them (TOTAL)."""
    few = max(2, FIRST // ROWS[row].ops)
    many = few + max(10, COUNTED // ROWS[row].ops)
    command = [sys.executable, "-m", "benchmarks.instructions", "--steps", row]
    subprocess.run([*command, "1"], check=True)  # so that what is imported has been compiled
    with tempfile.TemporaryDirectory() as folder:
        before, after = (counted([*command, str(n)], Path(folder) / f"{n}") for n in (few, many))
    after.subtract(before)
    return Counter({name: round(count / (many - few)) for name, count in after.items()})


def counted(command: list[str], file: Path) -> Counter[str]:
    """The instructions of a command by function, without what differs from run to run: addresses, hash seeds, threads."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    valgrind = ["setarch", "-R", "valgrind", "--tool=callgrind", f"--callgrind-out-file={file}"]
    subprocess.run([*valgrind, *command], check=True, capture_output=True, env=environment)
    report = subprocess.run(
        ["callgrind_annotate", "--threshold=100", file], check=True, capture_output=True, text=True
    ).stdout
    found: Counter[str] = Counter()
    for count, name in re.findall(r"^ *([\d,]+)(?: \([ \d.]+%\))?  ?(\S.*)$", report, re.MULTILINE):
        found[name.partition(" [")[0].rpartition(":")[2]] += int(count.replace(",", ""))
    return found


if __name__ == "__main__":
    sys.exit(main())
