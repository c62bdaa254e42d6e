"""A sign of life while a check runs: after a moment, in both languages, and gone when the result is there."""

import os
import pty
import re
import shutil
import subprocess
import sys
import threading
import time

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from project_files import ROOT

from autograder import kit, waiting

# Short times; and parts of which one is as slow as SLOW says.
QUICKLY = "from autograder import check, implements, notebook, waiting\nwaiting.PATIENCE, waiting.EVERY = 0.3, 0.2\n"
PARTS = """\
import time
import torch
@implements("minigrad.ops.pointwise.mul_vjp_self")
def mul_vjp_self(grad, other):
    print("the part is here")
    {slow}
    return grad * other
@implements("minigrad.ops.pointwise.mul_vjp_other")
def mul_vjp_other(grad, self):
    return grad * self
"""
SLOW = PARTS.format(slow="time.sleep(0.03)")
ENDLESS = PARTS.format(slow="while True: pass")
RUNNING = re.compile(r"还在检查……\d+ 秒；到 20 秒会停下 · still checking … \d+ s; stops at 20 s")
OTHERS = re.compile(r"还在与 torch 比较……\d+ 秒 · still comparing with torch … \d+ s")
CHECK = 'check("mul_backward", 4711)'
THREADS = "import threading; print(sorted(each.name for each in threading.enumerate()))"


class Watched(NotebookClient):
    """Runs a notebook and keeps what its kernel displayed: (update?, display id, words)."""

    def process_message(self, msg, cell, index):
        if "display_data" in msg["msg_type"]:
            content = msg["content"]
            shown = msg["msg_type"] == "update_display_data", content["transient"].get("display_id"), content["data"]
            self.__dict__.setdefault("shown", []).append((*shown[:2], shown[2]["text/plain"]))
        return super().process_message(msg, cell, index)


def run(*cells):
    """The displays of these cells' run, and the notebook afterwards."""
    notebook = new_notebook(cells=[new_code_cell(each) for each in cells])
    client = Watched(notebook, timeout=60, allow_errors=True, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    return client.__dict__.get("shown", []), [cell.outputs for cell in notebook.cells]


@pytest.mark.slow
def test_in_a_notebook_the_result_takes_the_place_of_the_line():
    shown, outputs = run(QUICKLY + SLOW, THREADS, f"print('before')\n{CHECK}", THREADS)
    lines, (cleared, result) = shown[:-2], shown[-2:]
    assert len(lines) > 1 and [update for update, *_ in lines] == [False] + [True] * (len(lines) - 1)
    said = [words for *_, words in lines]
    assert any(map(RUNNING.fullmatch, said)) and all(RUNNING.fullmatch(each) or OTHERS.fullmatch(each) for each in said)
    assert cleared == (True, lines[0][1], "") and result[:2] == (True, lines[0][1])
    before, checked = outputs[2]
    assert before.text == "before\n" and checked.data["text/plain"] == result[2]
    assert result[2].startswith("✓ mul_backward · 2/2") and "│ the part is here" in result[2]
    assert outputs[1] == outputs[3]  # no thread more than there was


@pytest.mark.slow
def test_an_endless_part_is_waited_for_aloud_and_its_card_takes_the_place_of_the_line():
    shown, outputs = run(f"{QUICKLY}notebook.LONGEST = 2\n{ENDLESS}", CHECK)
    *lines, cleared = shown  # on a busy machine the last of them may come when the part has been stopped already
    assert any(re.search(r"still checking … \d+ s; stops at 2 s", words) for *_, words in lines)
    (card,) = outputs[1]
    assert cleared == (True, shown[0][1], card.data["text/plain"])
    assert cleared[2].startswith("✗") and "The check ran for 2 seconds and was stopped" in cleared[2]


@pytest.mark.slow
def test_a_check_that_answers_at_once_says_nothing_else():
    shown, outputs = run(QUICKLY.replace("0.3", "5") + PARTS.format(slow=""), CHECK)
    assert [update for update, *_ in shown] == [False] and len(outputs[1]) == 1


@pytest.mark.slow
def test_the_cell_that_loads_torch_is_waited_for_aloud_and_no_later_one():
    shown, outputs = run(QUICKLY, *["import torch\n\nprint(torch.ones(1))"] * 2, THREADS)
    *lines, cleared = shown
    words = r"这一格要先载入 torch……\d+ 秒 · this cell has to load torch first … \d+ s"
    assert lines and all(re.fullmatch(words, said) for *_, said in lines) and cleared == (True, lines[0][1], "")
    assert outputs[1][-1].text == outputs[2][0].text == "tensor([1.])\n" and len(outputs[2]) == 1
    assert "waiting" not in outputs[3][0].text


@pytest.mark.slow
@pytest.mark.parametrize(
    "draws",
    [
        "import matplotlib.pyplot as plt\n_ = plt.plot(range(3))",
        "x = y = minigrad.ones(1, requires_grad=True)\nfor _ in range(12):\n    y = y * x + x\ndraw(y)",
    ],
)
def test_a_picture_is_waited_for_aloud_until_it_is_there(draws):
    prepared = "import time\nimport minigrad\nfrom minigrad.viz import draw\n"
    shown, outputs = run(QUICKLY + prepared, f"time.sleep(0.6)\n{draws}", "print('draw')", THREADS)
    said = [words for *_, words in shown if "picture" in words]
    assert said and all(
        re.fullmatch(r"这一格的图还没好……\d+ 秒 · this cell's picture is on its way … \d+ s", each) for each in said
    )
    kinds = [set(each.get("data", {})) for each in outputs[1]]
    assert any(kind & {"image/png", "text/html"} for kind in kinds)
    assert not any("picture" in str(each) for each in outputs[1]) and "waiting" not in outputs[3][0].text


@pytest.mark.slow
def test_nobody_looks_under_the_validate_button(monkeypatch):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    shown, _ = run(QUICKLY + SLOW, CHECK)
    assert [update for update, *_ in shown] == [False]


def script(code, terminal, cwd=ROOT):
    """What a script writes to a terminal, or into a pipe."""
    command = [sys.executable, "-c", code]
    if not terminal:
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=cwd, stdout=theirs, stderr=subprocess.PIPE) as process:
        os.close(theirs)
        said = b""
        try:
            while block := os.read(ours, 65536):
                said += block
        except OSError:  # the other end is closed
            os.close(ours)
        assert process.wait() == 0, process.stderr.read().decode()
    return said.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_terminal_has_the_line_and_then_the_result_in_its_place():
    said = script(f"{QUICKLY}{SLOW}print('before')\n{CHECK}", terminal=True)
    before, *lines, cleared = said.partition("✓ mul_backward")[0].split("\r\x1b[2K")
    assert before == "before\n" and cleared == "\x1b[32m" and any(map(RUNNING.fullmatch, lines))
    assert all(RUNNING.fullmatch(each) or OTHERS.fullmatch(each) for each in lines)
    assert "\r" not in said.partition("✓ mul_backward")[2]


@pytest.mark.slow
def test_doctor_says_that_it_is_at_work():
    said = script(f"{QUICKLY}from autograder import cli\ncli.main(['doctor'])", terminal=True)
    *lines, table = said.split("\r\x1b[2K")
    assert [each for each in lines if each] and all("still working … " in each for each in lines if each)
    assert "Checked" in table


@pytest.mark.slow
@pytest.mark.parametrize(
    "hand_in",
    ["import autograder; autograder.submit('li-na')", "from autograder import cli; cli.main(ARGUMENTS)"],
    ids=["in_python", "the_command"],
)
def test_handing_in_on_a_terminal_clears_the_line_before_the_receipt(tmp_path, monkeypatch, hand_in):
    """In a folder of its own, as a learner has it, and with nowhere to hand in to."""
    monkeypatch.setenv("AUTOGRADER_INBOX", "")
    (tmp_path / "00_warmup").mkdir()
    shutil.copy(ROOT / "release/00_warmup/00_warmup.ipynb", tmp_path / "00_warmup")
    arguments = "ARGUMENTS = ['submit', '00_warmup.ipynb', '--id', 'li-na']\n"
    said = script(QUICKLY + arguments + hand_in, terminal=True, cwd=tmp_path / "00_warmup")
    *lines, receipt = said.split("\r\x1b[2K")
    assert any(re.fullmatch(r"还在提交……\d+ 秒 · still handing in … \d+ s", each) for each in lines)
    assert receipt.startswith("! 00_warmup 第 1 版只存在这台电脑上") and "SHA-256" in receipt


@pytest.mark.slow
def test_a_pipe_has_the_result_alone():
    said = script(f"{QUICKLY}{SLOW}print('before')\n{CHECK}", terminal=False)
    assert said.startswith("before\n✓ mul_backward · 2/2\n") and "still" not in said


def test_a_line_too_long_for_the_terminal_is_cut_and_not_wrapped(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "20")
    waiting.Line().write("还在检查……2 秒；到 20 秒会停下")
    assert capsys.readouterr().out == "\r\x1b[2K还在检查……2 秒；到 "


@pytest.fixture
def spoken(monkeypatch):
    """A place that shows lines: what was written there."""
    said = []

    class Here(waiting.Line):
        def write(self, words):
            said.append(words)

    monkeypatch.setattr(waiting, "PATIENCE", 0.1)
    monkeypatch.setattr(waiting, "EVERY", 0.05)
    monkeypatch.setattr(waiting, "here", Here)
    return said


def test_the_words_are_those_of_the_innermost_block(spoken, capsys):
    def one_more() -> None:
        at, until = len(spoken), time.monotonic() + 30
        while len(spoken) < at + 2 and time.monotonic() < until:  # the first may have been on its way before
            time.sleep(0.01)

    before = threading.enumerate()
    with waiting.waiting("still_comparing"):
        one_more()
        with waiting.waiting("still_running", limit=7):
            one_more()
        one_more()
    assert threading.enumerate() == before
    kinds = ["limit" if "stops at 7 s" in each else "torch" for each in spoken]
    assert [kind for kind, last in zip(kinds, [None, *kinds], strict=False) if kind != last] == [
        "torch",
        "limit",
        "torch",
    ]


def test_an_error_ends_the_line_and_its_thread(spoken, capsys):
    before = threading.enumerate()
    with pytest.raises(ZeroDivisionError), waiting.waiting("still_comparing"):
        while not spoken:
            time.sleep(0.01)
        1 / 0
    assert spoken and threading.enumerate() == before and waiting.over() is None


def test_grading_has_no_such_line():
    assert not {"waiting.py", "notebook.py", "show.py"} & set(kit.SHOWN)
