"""The one truth of a solution: finding the engine's definition, comparing, and copying it into a lesson."""

from __future__ import annotations

import ast
import textwrap

import pytest

from autograder import solutions
from autograder.errors import UnknownName

ENGINE = '''\
"""An engine."""

def double(x: float) -> float:
    """Twice x."""
    # say it plainly
    y: float = 2 * x  # noqa: F841
    return y
    # nothing follows


def one_line(x): return x + 1


class Mode:
    """A mode."""

    def __init__(self):
        # no docstring here
        self.on = True

    @property
    def state(self):
        """On or off."""
        return self.on

    @state.setter
    def state(self, value):
        self.on = value


def last():
    return 3
'''


@pytest.fixture
def engine(tmp_path):
    package = tmp_path / "minigrad"
    package.mkdir()
    (package / "__init__.py").write_text(ENGINE)
    (package / "sub.py").write_text("def deep():\n    return 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("part", "inside"),
    [
        ("minigrad.double", ("double",)),
        ("minigrad.sub.deep", ("deep",)),
        ("minigrad.Mode", ("Mode",)),
        ("minigrad.Mode.state", ("Mode", "state")),
    ],
)
def test_find(engine, part, inside):
    assert solutions.find(part, engine).inside == inside


def test_a_property_is_its_getter(engine):
    assert "On or off" in ast.unparse(solutions.find("minigrad.Mode.state", engine).node)


@pytest.mark.parametrize("part", ["minigrad.duble", "minigrad.sub.dep", "nothing.here"])
def test_find_unknown(engine, part):
    with pytest.raises(UnknownName):
        solutions.find(part, engine)


def body(engine, part):
    found = solutions.find(part, engine)
    return solutions.body_text(found.text, found.node)


def test_body_text_keeps_comments_and_drops_pragmas(engine):
    expected = "# say it plainly\ny: float = 2 * x\nreturn y\n# nothing follows\n"
    assert body(engine, "minigrad.double") == expected
    assert body(engine, "minigrad.one_line") == "return x + 1\n"
    assert body(engine, "minigrad.Mode.__init__") == "# no docstring here\nself.on = True\n"
    assert body(engine, "minigrad.last") == "return 3\n"


def test_equal_up_to_docstrings_comments_decorators_and_annotations(engine):
    mine = '@implements("minigrad.double")\ndef double(x):\n    "Other words."\n    y = 2 * x\n    return y\n'
    (node,) = ast.parse(mine).body
    assert solutions.bare(node) == solutions.bare(solutions.find("minigrad.double", engine).node)
    (other,) = ast.parse(mine.replace("2 * x", "x * 2")).body
    assert solutions.bare(other) != solutions.bare(solutions.find("minigrad.double", engine).node)


CELL = '''\
# %% nbgrader={"grade_id": "a", "solution": true}
@implements("minigrad.double")
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    old
    ### END SOLUTION


@implements("minigrad.Mode")
class Mode:
    """A mode."""

    def __init__(self):
        """Switch it on."""
        ### BEGIN SOLUTION
        ### END SOLUTION

    @property
    def state(self):
        """On or off."""
        return self.on

# %%
x = 1
'''


def test_sync_fills_every_region_and_nothing_else(engine):
    synced = solutions.synced(CELL, engine)
    wanted = CELL.replace(
        "    old\n", "    # say it plainly\n    y: float = 2 * x\n    return y\n    # nothing follows\n"
    ).replace(
        "        ### BEGIN SOLUTION\n        ###",
        "        ### BEGIN SOLUTION\n        # no docstring here\n        self.on = True\n        ###",
    )
    assert synced == wanted
    assert solutions.synced(synced, engine) == synced


REPAIR = """\
@implements("minigrad.double")
def double(x):
    if x:
        ### BEGIN SOLUTION
        return 2 * x
        ### RELEASED AS
        # for _ in range(2):
        #     x += x
        #
        # return x
        ### END SOLUTION
    ### BEGIN SOLUTION
    return 0
    ### END SOLUTION
"""


def test_a_program_to_repair_stands_in_the_solutions_place():
    given = solutions.as_given(REPAIR, "# yours\nraise NotImplementedError()")
    assert given == (
        '@implements("minigrad.double")\ndef double(x):\n    if x:\n'
        "        for _ in range(2):\n            x += x\n\n        return x\n"
        "    # yours\n    raise NotImplementedError()\n"
    )
    assert solutions.as_solved(REPAIR) == (
        '@implements("minigrad.double")\ndef double(x):\n    if x:\n        return 2 * x\n    return 0\n'
    )
    assert [line.strip() for line in solutions.given_lines(REPAIR)] == ["for _ in range(2):", "x += x", "", "return x"]


def test_sync_leaves_the_program_to_repair_alone(engine):
    cell = "# %%\n" + REPAIR.replace("    if x:\n", "").replace("        ", "    ").partition("    ### END")[0]
    cell += "    ### END SOLUTION\n"
    synced = solutions.synced(cell, engine)
    assert "y: float = 2 * x\n" in synced and "return 2 * x" not in synced
    assert synced.partition("### RELEASED AS")[2] == cell.partition("### RELEASED AS")[2]


def test_definitions_of_a_cell():
    source = textwrap.dedent("""
        @implements("minigrad.double")
        def double(x): ...

        def helper(x): ...
    """)
    assert list(solutions.definitions(source)) == ["minigrad.double"]
