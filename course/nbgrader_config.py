"""This course's nbgrader configuration: the only place where our grader is plugged into nbgrader.

nbgrader, formgrader and `autograder grade` all read it. nbgrader keeps doing what it does (folders,
gradebook, exchange, feedback); of its steps, only those named here are replaced.
"""

from contextlib import suppress
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader import preprocessors as stock

from autograder import exchange, feedback_page, markdown, release
from autograder import nbgrader_plugin as ours

c = get_config()

c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.release_directory = "../release"  # generated and committed; see autograder/release.py

# The exchange: a folder of this course's own. On a machine with many users, name one that all of them can write to.
c.Exchange.root = str(Path(c.CourseDirectory.root) / "exchange")
with suppress(OSError):
    Path(c.Exchange.root).mkdir(exist_ok=True)  # nbgrader complains if it is not there
c.ExchangeFactory.collect = exchange.Collect
c.ExchangeFactory.release_feedback = exchange.ReleaseFeedback

# Release: nbgrader's own steps. Proof cells are left out, a cell to hand in is put last, stubs (or a program to repair)
# stand for solutions.
c.GenerateAssignment.preprocessors = [
    release.DropProofs,
    release.HandIn,
    stock.LockCells,
    release.ClearSolutions,
    stock.ClearOutput,
    stock.CheckCellMetadata,
    stock.ComputeChecksums,
    stock.SaveCells,
    stock.CheckCellMetadata,
]
c.ClearSolutions.code_stub = {"python": "# 在这里写你的代码 · YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "在这里写下你的回答 · YOUR ANSWER HERE"

# Grading: start from the release, let the referee grade, save the referee's scores.
c.Autograde.exporter_class = ours.ReadAnything
c.Autograde.sanitize_preprocessors = [
    ours.Transplant,
    stock.ClearOutput,
    stock.DeduplicateIds,
    stock.OverwriteKernelspec,
    stock.OverwriteCells,
    stock.CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    ours.RefereeExecute,
    stock.IgnorePattern,
    ClearMetadataPreprocessor,
    stock.LimitOutput,
    ours.SaveScores,
    stock.AssignLatePenalties,
    stock.CheckCellMetadata,
]

# Pages, formgrader's and feedback: what students wrote is cleaned, our formulas need no script, and feedback allows
# nothing to run or load.
c.HTMLExporter.filters = {"markdown2html": markdown.harmless_markdown}
c.HTMLExporter.preprocessors = [markdown.OwnFormulas]
c.GenerateFeedback.exporter_class = feedback_page.FeedbackPage
c.GenerateFeedback.preprocessors = [feedback_page.Grades, CSSHTMLHeaderPreprocessor]
