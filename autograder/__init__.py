"""autograder: lessons' parts, the checks that compare them with torch, and the grading of a class.

    from autograder import check, hint, implements, language

is all a lesson needs (`use_parts` and `your_engine` take parts along into later ones). Importing this package is
cheap: torch, Jupyter and nbgrader are imported only by what needs them, and the sandbox, where none of them exists,
can import the same names.
"""

from __future__ import annotations

import sys

from autograder import messages
from autograder.parts import implements

__all__ = ["check", "hint", "implements", "language", "submit", "use_parts", "your_engine"]


def check(name: str = "", seed: int | None = None) -> None:
    """Run check `name` on the learner's parts and on torch, and show how they compare (autograder/notebook.py)."""
    from autograder.waiting import waiting

    with waiting("still_comparing"):
        from autograder.notebook import check as run

        run(name, seed)


def hint(part: object = "") -> None:
    """Show the next of the three hints for `part`, by its name or the function itself: a question, a direction, almost the
    answer."""
    from autograder.notebook import hint as give

    give(part)


def submit(student: str = "", to: str = "") -> None:
    """Hand this lesson in under a student's id, or say how to, and what was handed in last (autograder/notebook.py).

    to: the folder from which the teacher collects, where there is no exchange."""
    from autograder.waiting import waiting

    with waiting("still_submitting"):
        from autograder.notebook import submit as run

        run(student, to)


def language(choice: str = "") -> None:
    """Choose the languages of checks, hints and receipts: "zh", "en" or "both"; without one, say which are chosen.

    A notebook's choice holds in all that come later.
    """
    if not choice:
        print(messages.languages_now())
        return
    messages.language(choice)
    if shell:
        own_folder.remember_language(choice)


def use_parts(choice: str = "mine") -> None:
    """Let the engine run on the learner's earlier parts ("mine") or on its own ("reference") (workspace.py)."""
    from autograder.workspace import use_parts as use

    use(choice)


def your_engine() -> None:
    """Draw which parts of the engine are the learner's own, and how often each has run (engine_map.py)."""
    from autograder.engine_map import your_engine as draw

    draw()


ipython = sys.modules.get("IPython")
if shell := ipython and ipython.get_ipython():  # in a notebook
    from autograder import last_run, own_folder, waiting

    last_run.listen(shell)
    waiting.listen(shell)
    own_folder.restore_language()
