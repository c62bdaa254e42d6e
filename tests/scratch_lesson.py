"""A small lesson to build and release in tests, and a course to do it in."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

from autograder import release, sample_class
from autograder.course import Course, secret_of
from autograder.lessons import COURSE

HEAD = """\
# %% [markdown] tags=["lang-zh"]
# # 90 · 草稿课

# %% [markdown] tags=["lang-en"]
# # 90 · A scratch lesson

# %% tags=["setup"]
import minigrad
from autograder import check, hint, implements
"""

SOLUTION = '''
# %% nbgrader={"grade_id": "exp_log", "solution": true}
@implements("minigrad.ops.pointwise.exp_vjp")
def exp_vjp(grad, result):
    """The gradient of exp."""
    ### BEGIN SOLUTION
    return grad * result
    ### END SOLUTION

@implements("minigrad.ops.pointwise.log_vjp")
def log_vjp(grad, self):
    """The gradient of log."""
    ### BEGIN SOLUTION
    return grad / self
    ### END SOLUTION
'''

CHECK = """
# %% nbgrader={"grade_id": "check_exp_log", "grade": true, "points": 2}
check("exp_log_backward")
"""

MORE = '''
# %% nbgrader={"grade_id": "tanh", "solution": true}
@implements("minigrad.ops.pointwise.tanh_vjp")
def tanh_vjp(grad, result):
    """The gradient of tanh."""
    ### BEGIN SOLUTION
    return grad * (1 - result * result)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check_tanh", "grade": true, "points": 1}
check("tanh_backward")
'''

REFLECTION = """
# %% [markdown] nbgrader={"grade_id": "reflection", "grade": true, "solution": true, "points": 1}
# 评分标准：说出 exp 的导数是它自己。
# Rubric: says that exp is its own derivative.
"""

PROOF = """
# %% tags=["proof"]
assert minigrad.ones(2).sum().item() == 2
"""

# What a student writes into the two solution cells.
EXP_LOG = """\
@implements("minigrad.ops.pointwise.exp_vjp")
def exp_vjp(grad, result):
    return grad * result

@implements("minigrad.ops.pointwise.log_vjp")
def log_vjp(grad, self):
    return grad / self
"""
TANH = """\
@implements("minigrad.ops.pointwise.tanh_vjp")
def tanh_vjp(grad, result):
    return grad * (1 - result * result)
"""

LESSON = HEAD + PROOF + SOLUTION + CHECK + MORE + REFLECTION


def write(folder: Path, text: str = LESSON, name: str = "90_scratch") -> Path:
    """Write a lesson source into a folder of sources and return that folder."""
    path = folder / "sources" / name / f"{name}.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return folder / "sources"


@functools.cache
def _empty_gradebook() -> bytes:
    """nbgrader starts a program for every new gradebook, which takes seconds: make one, and copy it."""
    with tempfile.TemporaryDirectory() as folder:
        with Course.scratch(Path(folder)).gradebook():
            return Path(folder, "gradebook.db").read_bytes()


def scratch_course(folder: Path) -> Course:
    """A course of its own in an empty folder, with a gradebook."""
    course = Course.scratch(folder)
    (folder / "gradebook.db").write_bytes(_empty_gradebook())
    return course


CONFIG = """\
c = get_config()
load_subconfig({path!r})
c.CourseDirectory.root = {root!r}
c.CourseDirectory.release_directory = "release"
c.Exchange.root = {root!r} + "/exchange"
"""


def with_configuration(course: Course) -> Course:
    """Put an nbgrader_config.py into a scratch course, as nbgrader's own commands need one, and open it again."""
    config = CONFIG.format(path=str(COURSE / "nbgrader_config.py"), root=str(course.root))
    (course.root / "nbgrader_config.py").write_text(config)
    return Course(course.root)


def scratch_class(folder: Path, names: set[str]) -> Course:
    """A course with the lesson released and these sample submissions handed in. A copy of its folder is one, too."""
    course = with_configuration(scratch_course(folder / "course"))
    shutil.copy(COURSE / "roster.csv", course.root)
    lesson = release.release(course, "90_scratch", write(folder)).lesson
    data = (course.path("release", ".", lesson.name) / f"{lesson.name}.ipynb").read_bytes()
    sample_class.hand_in(course, lesson, data, names)
    secret_of(course.root)  # all copies draw the same seeds
    (course.root / "nbgrader_config.py").unlink()  # it names this folder; copies use the real course's
    return Course(course.root)
