"""From release to feedback in a real browser, as a teacher and a student do it: JupyterLab, formgrader, nbgrader's
exchange, and our referee behind the buttons.

`make test ARGS='tests/test_browser.py --pictures'` also takes the pictures that docs/ shows (docs/images).
"""

from __future__ import annotations

from dataclasses import dataclass

import nbformat
import pytest
from browser_tools import CHROMIUM, TOKEN, browser, labs
from project_files import ROOT
from scratch_lesson import scratch_course, with_configuration

from autograder import cli, lessons, sample_class

LESSON, MUL, STUDENT = "00_warmup", "03_local_derivatives", "emma.clarke"
WRONG, RIGHT = "return (-X * (Y - w * X)).sum()", "return (-2 * X * (Y - w * X)).sum()"
REFLECTION = "-40 only says how steep it is at w = 1. <script>document.title = 'taken over'</script>"
COMMENT = "Right: a slope is local. And how far may one go?"
SIZE = {"width": 1200, "height": 800}
STUDENTS_CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.student_id = {student!r}
c.Exchange.root = {exchange!r}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # a busy machine is slow at this, and only at this
    pytest.mark.browser,
    pytest.mark.sandbox,
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium"),
]


@dataclass
class Walk:
    """The two people's pages, and where pictures of them go."""

    teacher: object
    student: object
    formgrader: str
    lab: str
    pictures: bool

    def picture(self, page, name, clip=None):
        """Take a picture for the documents, if they were asked for."""
        if self.pictures:
            page.screenshot(path=ROOT / "docs" / "images" / f"{name}.png", clip=clip)


@pytest.fixture
def walk(tmp_path, request):
    course = with_configuration(scratch_course(tmp_path / "course"))
    folder = tmp_path / "student"
    for each in (folder, course.root / "exchange"):
        each.mkdir()
    (course.root / "roster.csv").write_text(f"id,first_name,last_name,email\n{STUDENT},Emma,Clarke,\n")
    (folder / "nbgrader_config.py").write_text(
        STUDENTS_CONFIG.format(student=STUDENT, exchange=course.config.Exchange.root)
    )
    assert cli.main(["--course", str(course.root), "release", LESSON]) == 0
    nbformat.write(forgets_grad(), folder / f"{MUL}.ipynb")
    with labs(course.root, folder) as (at_teachers, at_students), browser() as chromium:
        pages = [chromium.new_context(viewport=SIZE).new_page() for _ in range(2)]
        for page in pages:
            page.set_default_timeout(120_000)
        yield Walk(*pages, f"{at_teachers}/formgrader", f"{at_students}/lab", request.config.getoption("--pictures"))


def forgets_grad():
    """The released lesson 03 with the rule of a product written wrong."""
    notebook = nbformat.read(lessons.RELEASE / MUL / f"{MUL}.ipynb", as_version=4)
    answer = sample_class.answers_of(lessons.load(MUL))["mul_backward"]
    (cell,) = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "mul_backward"]
    cell.source = answer.replace("return grad * other", "return other")
    assert cell.source != answer
    return notebook


def test_from_release_to_feedback(walk):
    release(walk)
    fetch(walk)
    solve(walk)
    submit(walk)
    collect_and_autograde(walk)
    grade_by_hand(walk)
    release_feedback(walk)
    read_feedback(walk)
    forget_grad(walk)


# ── the teacher ──────────────────────────────────────────────────────────────────────────────────


def press(page, icon, said, row=LESSON):
    """Press one of formgrader's icons in a row, and close what it says when it is done."""
    page.locator("tr", has_text=row).locator(f"a:has(.glyphicon-{icon})").click()
    page.locator(".modal-body", has_text=said).wait_for()
    page.locator(".modal.in button", has_text="OK").click()
    page.locator(".modal").wait_for(state="detached")


def release(walk):
    page = walk.teacher
    page.goto(f"{walk.formgrader}/?token={TOKEN}")
    press(page, "cloud-upload", f"Successfully released '{LESSON}'")


def collect_and_autograde(walk):
    page = walk.teacher
    press(page, "cloud-download", f"Successfully collected submissions of '{LESSON}'")
    walk.picture(page, "formgrader")
    page.locator("tr", has_text=LESSON).get_by_role("link", name="1", exact=True).click()
    press(page, "flash", "Successfully autograded", STUDENT)
    row = page.locator("tr", has_text=STUDENT)
    row.get_by_text("needs manual grading").wait_for()
    assert row.locator(".score").inner_text() == "6 / 7"


def grade_by_hand(walk):
    page = walk.teacher
    page.get_by_role("link", name="Manual Grading").click()
    for where in (f"gradebook/{LESSON}", f"gradebook/{LESSON}/{LESSON}"):
        page.locator("tbody").get_by_role("link", name=LESSON).click()
        page.wait_for_url(f"**/{where}")
    page.get_by_role("link", name="Submission #1").click()
    page.locator("#reflection").wait_for()
    assert "warmup_descent · 2/2" in page.content()
    page.locator("math").first.wait_for()  # our formulas; from no network
    write(page, "#reflection", "1", "grade")
    write(page, "#reflection-comment", COMMENT, "comment")
    assert "taken over" not in page.title()
    page.locator("#reflection").scroll_into_view_if_needed()
    walk.picture(page, "manual_grading")


def write(page, where, text, kind):
    """Write into one of formgrader's fields, once it listens, and wait until the server has what was written."""
    page.wait_for_function(f"formgrader.{kind}s?.loaded")
    page.locator(where).fill(text)
    with page.expect_response(lambda r: f"/api/{kind}/" in r.url and r.request.method == "PUT") as saved:
        page.locator(where).blur()
    assert saved.value.ok


def release_feedback(walk):
    page = walk.teacher
    page.goto(walk.formgrader)
    press(page, "comment", f"Successfully generated feedback of '{LESSON}'")
    press(page, "envelope", f"Successfully released feedback of '{LESSON}'")


# ── the student ──────────────────────────────────────────────────────────────────────────────────


def menu(page, name, item):
    page.get_by_role("menuitem", name=name, exact=True).click()
    page.get_by_role("menuitem", name=item).first.click()


def assignments(page):
    menu(page, "Nbgrader", "Assignment List")


def fetch(walk):
    page = walk.student
    page.goto(f"{walk.lab}?token={TOKEN}")
    assignments(page)
    assert page.get_by_text("Create Assignment").count() == 0  # what is a teacher's is not there
    page.get_by_role("button", name="Fetch").click()
    page.locator("#fetched_assignments_list .assignment-notebooks-link").click()
    page.locator("#fetched_assignments_list .nested_list_item a").click()


def solve(walk):
    """Write a wrong answer, read its hint, put it right, reflect, save."""
    from playwright.sync_api import expect

    page = walk.student
    reflection = page.locator(".jp-MarkdownCell", has_text="YOUR ANSWER HERE")
    reflection.dblclick()
    reflection.locator(".cm-content").fill(REFLECTION)
    answer(page, "raise NotImplementedError", WRONG)
    menu(page, "Run", "Run All Cells")
    check = page.locator(".jp-CodeCell", has_text='check("warmup_by_hand")')
    hint = check.get_by_text("differentiating the square brings down a 2")
    hint.wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # until then the page follows the cell that runs
    hint.scroll_into_view_if_needed()
    expect(hint).to_be_in_viewport()
    walk.picture(page, "hint")
    answer(page, WRONG, RIGHT)
    menu(page, "Run", "Run All Cells")
    page.get_by_text("warmup_descent · 2/2").wait_for()
    show_a_lesson(walk)
    validate(page, "passes all the tests")


def show_a_lesson(walk):
    """What the README shows of a lesson: a passage in both languages, and the plot that it speaks of."""
    page = walk.student
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.set_viewport_size({"width": 1400, "height": 1200})
    plot = page.locator(".jp-CodeCell", has_text="slope -40").locator("img").first
    for _ in range(3):  # the page draws cells as they come into view, which moves the others
        plot.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
    walk.picture(page, "lesson")
    page.set_viewport_size(SIZE)


def answer(page, found, text):
    """Put a text in place of the line of a solution cell that says `found`."""
    page.locator(".jp-CodeCell .cm-line", has_text=found).click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(text)
    page.locator(".jp-CodeCell .cm-line", has_text=text).wait_for()


def validate(page, said):
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog")
    dialog.get_by_text(said).wait_for()
    dialog.get_by_role("button", name="Ok").click()


def submit(walk):
    page = walk.student
    menu(page, "File", "Save Notebook")
    assignments(page)
    page.locator("#fetched_assignments_list").get_by_role("button", name="Submit").click()
    page.locator("#submitted_assignments_list").get_by_text(LESSON).first.wait_for()
    walk.picture(page, "submitted")


def forget_grad(walk):
    """What the README shows first: in lesson 03 the rule of a product forgets grad, and the check says so."""
    page = walk.student
    page.set_viewport_size({"width": 1300, "height": 2000})
    page.goto(f"{walk.lab}/../doc/tree/{MUL}.ipynb?token={TOKEN}")
    check = page.locator(".jp-CodeCell", has_text='check("mul_backward")')
    check.locator(".cm-content").click()
    menu(page, "Run", "Run All Above Selected Cell")
    page.keyboard.press("Shift+Enter")
    check.get_by_text("忘了乘上游传来的 grad").wait_for()
    check.get_by_text("zeros among the factors").wait_for()
    rules = page.locator(".jp-CodeCell", has_text="def mul_vjp_self")
    rules.scroll_into_view_if_needed()
    first, last = rules.bounding_box(), check.bounding_box()
    height = last["y"] + last["height"] - first["y"]
    walk.picture(page, "check", {**first, "height": height})


def read_feedback(walk):
    page = walk.student
    assignments(page)
    page.locator("#submitted_assignments_list").get_by_role("button", name="Fetch Feedback").click()
    page.locator("#submitted_assignments_list a", has_text="view feedback").click()
    page.locator(".jp-DirListing-item", has_text=f"{LESSON}.html").dblclick()
    feedback = page.frame_locator(".jp-HTMLViewer iframe")
    feedback.get_by_text(COMMENT).wait_for()
    feedback.get_by_text("7.0 / 7.0").wait_for()
    feedback.locator("math").first.wait_for()  # a formula, without any script
    feedback.get_by_text("warmup_descent · 2/2").wait_for()
    assert "taken over" not in page.title()
    walk.picture(page, "feedback")
