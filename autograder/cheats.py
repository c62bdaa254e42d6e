"""Programs that try to earn points without writing the part, for the sample class and the tests.

Each is the text of a student's solution cell, or a change to the submitted notebook file. None may earn a
point; whoever adds one adds a row. This is no list of everything that could be tried: tests/attacks holds
that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Notebook = dict[str, Any]

# ── in a solution cell ───────────────────────────────────────────────────────────────────────────

PATCHES_THE_TOOLS = """
import builtins, json, sys
import numpy as np
import autograder, autograder.checks, autograder.parts

def yes(*args, **kwargs):
    return True

np.allclose = np.array_equal = np.testing.assert_allclose = yes
autograder.check = yes
for name in list(autograder.checks.REGISTRY):
    object.__setattr__(autograder.checks.REGISTRY[name], "program", lambda T, rng: iter([("passed", True)]))
autograder.parts.calls = lambda name: 99
"""

PRINTS_A_SCORE = """
import os, sys, json
print("score: 100/100  ✓ all checks passed")
sys.stderr.write("100\\n")
frame = json.dumps({"type": "check_done", "check": "all", "calls": {}, "error": None, "score": 100}).encode()
for descriptor in range(1, 32):
    try:
        os.write(descriptor, len(frame).to_bytes(4, "big") + frame)
    except OSError:
        pass
"""

IMPORTS_TORCH = """
import sys
sys.path[:0] = ["/usr/lib/python3/dist-packages", "/usr/local/lib/python3.11/site-packages"]
import torch
sys.modules["minigrad"] = torch
"""

READS_THE_SOLUTIONS = """
import glob, os

def search():
    for root in ("", os.path.expanduser("~"), ".", "..", "/home/*", "/opt", "/srv", "/work"):
        for depth in ("/*", "/*/*", "/*/*/*"):
            for path in glob.glob(root + depth + "/[0-9][0-9]_*.*py*"):
                text = open(path, errors="replace").read()
                if "BEGIN SOLUTION" in text:
                    return text
    raise FileNotFoundError("no solution in sight")

exec(search())
"""

LEAVES_EARLY = """
import atexit, os, sys
print("all checks passed")
sys.stdout.flush()
os._exit(0)
"""

# ── what is no cheat, only costly ────────────────────────────────────────────────────────────────

NEVER_ENDS = "while True:\n    pass"
EATS_MEMORY = "hog = []\nwhile True:\n    hog.append(bytearray(64 * 2**20))"

# ── in the notebook file ─────────────────────────────────────────────────────────────────────────


def forged_outputs(notebook: Notebook) -> None:
    """Write full marks into the outputs and metadata of every check cell."""
    for cell in notebook["cells"]:
        meta = cell["metadata"].get("nbgrader", {})
        if meta.get("grade") and cell["cell_type"] == "code":
            text = {
                "text/plain": str(meta["points"]),
                "text/html": "<b>✓ full marks</b><script>alert(1)</script>",
            }
            cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "data": text, "metadata": {}}]
            cell["metadata"]["autograder"] = {"score": meta["points"], "status": "graded"}
    notebook["metadata"]["autograder"] = {"problem": None, "records": {"check": {"score": 100}}}


def retagged_cells(notebook: Notebook) -> None:
    """Make every check worth a hundred points, skipped at grading, unlocked, and replaced by a number."""
    for cell in notebook["cells"]:
        meta = cell["metadata"].get("nbgrader", {})
        if meta.get("grade") and cell["cell_type"] == "code":
            meta |= {"points": 100, "locked": False, "solution": False}
            cell["metadata"]["tags"] = ["skip-execution"]
            cell["source"] = "100.0"


@dataclass(frozen=True)
class Cheat:
    """One attempt: `code` in front of the first part that is not written, or a `change` of the notebook file."""

    name: str
    zh: str
    en: str
    code: str = ""
    change: Callable[[Notebook], None] = lambda notebook: None


CHEATS = [
    Cheat("patches_the_tools", "改 numpy 和 check", "patches numpy and check", PATCHES_THE_TOOLS),
    Cheat("prints_a_score", "打印分数，伪造消息", "prints a score, forges messages", PRINTS_A_SCORE),
    Cheat("imports_torch", "让 torch 来算", "lets torch do it", IMPORTS_TORCH),
    Cheat("reads_the_solutions", "找答案文件", "looks for the solutions", READS_THE_SOLUTIONS),
    Cheat("leaves_early", "说完“通过”就退出", "says passed, and leaves", LEAVES_EARLY),
    Cheat("forged_outputs", "伪造检查格的输出", "forges the check's outputs", change=forged_outputs),
    Cheat("retagged_cells", "改分值和标签", "changes points and tags", change=retagged_cells),
]
