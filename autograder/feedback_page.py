"""nbgrader's feedback page as students of this course see it; plugged in through course/nbgrader_config.py.

    Grades           scores for the page; what nobody has graded yet is no zero there
    FeedbackPage     the page in both languages, with a table of contents that says what each point was lost for

Nothing in a page can run or load. Its pieces are pages.py's; when it is written is feedback.py's.
"""

from __future__ import annotations

import re
from math import isnan, nan
from typing import Any

from jinja2 import BytecodeCache
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades
from nbgrader.utils import is_grade

from autograder import pages

Resources = dict[str, Any]


class Grades(GetGrades):
    """nbgrader's scores and comments, and a table of contents that says what each point was lost for.

    What a person still has to give is no zero: its score is not a number, and shows as a dash.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Fetch the scores, and make the table of contents."""
        nb, resources = super().preprocess(nb, resources)
        about, graded = resources["nbgrader"], [c.metadata.nbgrader for c in nb.cells if is_grade(c)]
        ungradable = nb.metadata.get("autograder", {}).get("problem")
        if graded and (all(isnan(each.score) for each in graded) or (ungradable and pages.waiting(graded))):
            about["score"] = nan
        about["contents"] = pages.contents(nb, about["late_penalty"])
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Resources) -> None:
        super()._get_score(cell, resources)
        given = self.gradebook.find_grade(
            cell.metadata.nbgrader.grade_id, self.notebook_id, self.assignment_id, self.student_id
        )
        if given.auto_score is None and given.manual_score is None:
            cell.metadata.nbgrader["score"] = nan
        cell.metadata.nbgrader["outdated"] = given.manual_score is not None and given.needs_manual_grade


class _Compiled(BytecodeCache):
    """Templates are compiled once a process, not once a page: that takes as long as the rest of a page."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Any) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])

    def dump_bytecode(self, bucket: Any) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()


class FeedbackPage(HTMLExporter):
    """nbgrader's feedback page in both languages, with a policy under which nothing in it can run or load."""

    _compiled = _Compiled()

    def _create_environment(self) -> Any:
        made = super()._create_environment()
        made.bytecode_cache = self._compiled
        return made

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> Any:
        """Render a notebook, put the policy first in the page's head and our table of contents in nbgrader's place.

        As HTMLExporter does, less its last step, which parses the page once more to describe images: there are none.
        """
        resources = self._init_resources(resources)
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3", parent=self))
        shown = WidgetsDataTypeFilter(notebook_metadata=nb.metadata, parent=self, resources=resources)
        self.register_filter("filter_data_type", shown)
        html, resources = super(HTMLExporter, self).from_notebook_node(nb, resources, **kw)
        html = re.sub(r"(?s)<script\b.*?</script>", "", html)
        if contents := resources.get("nbgrader", {}).get("contents"):
            html = re.sub(r'(?s)<div id="toc">.*?</div>', lambda found: contents, html, count=1)
        for words, ours in pages.FEEDBACK_WORDS.items():
            html = html.replace(words, ours)
        return html.replace("<head>", f"<head>{pages.CSP}", 1), resources
