"""`python -m minigrad`: the digits, the picture, the self-test, and what is said when something is missing."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from minigrad import demo, named_torch, selftest
from minigrad.__main__ import main

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_the_digits_are_learned_quickly() -> None:
    data = demo.digits()
    reports: list[tuple[int, float, float]] = []
    with demo.one_thread():
        outcome = demo.train(data, report=lambda *report: reports.append(report))
    assert outcome.accuracy >= 0.96
    assert outcome.seconds < 10
    assert len(data.test_numbers) > 300
    assert [epoch for epoch, _, _ in reports] == list(range(1, 21))
    assert reports[-1][1] < reports[0][1] / 10


def test_the_same_seed_trains_the_same_network() -> None:
    data = demo.digits()
    first, again, other = (demo.train(data, epochs=1, seed=seed) for seed in (3, 3, 4))
    assert first.loss.item() == again.loss.item() != other.loss.item()


def test_it_draws_the_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "graph.svg"
    assert main(["--epochs", "2", "--graph", str(path), "--plain"]) == 0
    shown = capsys.readouterr().out
    for words in ("█", "2/2", "loss", "损失", "test accuracy", "测试准确率", str(path)):
        assert words in shown
    assert ET.parse(path).getroot().tag.endswith("svg")
    assert {"NllLossBackward0", "AddmmBackward0"} <= set(path.read_text(encoding="utf-8").replace("<", ">").split(">"))


def test_without_graphviz_it_leaves_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--epochs", "1", "--graph", str(tmp_path / "graph.svg")]) == 0
    shown = capsys.readouterr().out
    assert "Graphviz" in shown and "安装" in shown
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8").startswith("digraph")


def test_without_scikit_learn_it_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert main(["--epochs", "1"]) == 2
    said = capsys.readouterr().err
    assert "pip install scikit-learn" in said and "安装" in said and "Traceback" not in said


def test_a_place_that_cannot_be_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["--epochs", "1", "--graph", str(tmp_path / "file" / "graph.svg")]) == 2
    assert "could not be written" in capsys.readouterr().err


@pytest.mark.parametrize("epochs", ["0", "-1", "many", "1.5"])
def test_wrong_numbers_are_refused_in_both_languages(epochs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--epochs", epochs])
    said = capsys.readouterr().err
    assert "要一个正整数" in said and "a positive whole number is wanted" in said


def test_help_is_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert "--self-test" in shown and "选项 · options" in shown and "手写数字" in shown and "digits" in shown


def test_the_self_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--self-test"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("✓") == len(selftest.PROGRAMS) and "✗" not in shown


def test_the_self_test_can_fail(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong derivative in the engine itself, and a program that raises."""
    from minigrad.ops.nn import log_softmax_op

    monkeypatch.setattr(log_softmax_op.rules.node, "vjps", (lambda grad, result, dim: grad,))
    monkeypatch.setattr(selftest, "PROGRAMS", [*selftest.PROGRAMS, ("broken", lambda: 1 / 0)])
    assert main(["--self-test"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("✗")]
    assert len(failed) == 2
    assert "log softmax" in failed[0] and "ZeroDivisionError" in failed[1]


def test_the_command_runs_without_torch(tmp_path: Path) -> None:
    program = (
        "import runpy, sys; sys.argv = ['minigrad', '--self-test']\n"
        "try: runpy.run_module('minigrad', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert 'torch' not in sys.modules and 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)


TRAINS = """
import sys
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.autograd import Function
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, grad):
        return 2 * grad

torch.manual_seed(0)
x = torch.randn(40, 3)
data = TensorDataset(x, (x.sum(1) > 0).long())
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = optim.Adam(net.parameters(), lr=float(sys.argv[2]))
plan = StepLR(opt, 1, 0.9)
for epoch in range(3):
    for inputs, labels in DataLoader(data, batch_size=8, shuffle=True):
        opt.zero_grad()
        loss = F.cross_entropy(Double.apply(net(inputs)), labels)
        loss.backward()
        opt.step()
    plan.step()
    print(epoch, f"{loss.item():.4f}", f"{plan.get_last_lr()[0]:.5f}")
print(net, loss.grad_fn.name(), __name__, __file__, sys.argv)
print("Tensor from", torch.Tensor.__module__)
"""


def python(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_program_written_for_torch_runs_as_it_stands(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TRAINS)
    theirs = python(str(program), "--lr", "0.01", "--seed", "1")
    ours = python("-m", "minigrad", str(program), "--lr", "0.01", "--seed", "1")
    assert theirs.returncode == ours.returncode == 0, ours.stderr
    assert ours.stdout.replace("minigrad", "torch") == theirs.stdout != ours.stdout


def test_a_program_named_from_its_own_folder_warns_under_its_whole_path(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import warnings\nwarnings.warn('x')\nprint(__file__)\n", encoding="utf-8")
    said = [
        subprocess.run([sys.executable, *how, "program.py"], cwd=tmp_path, capture_output=True, text=True)
        for how in ([], ["-m", "minigrad"])
    ]
    assert [(each.stdout, each.stderr) for each in said] == [(said[0].stdout, said[0].stderr)] * 2
    assert str(program) in said[0].stdout and str(program) in said[0].stderr


def test_a_module_that_is_not_there_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy\ntry:\n    import nothing\nexcept ImportError as e:\n    print(e)\nimport torch.nothing"
    )
    done = python("-m", "minigrad", str(program))
    assert done.returncode == 1 and done.stdout == "No module named 'nothing'\n"
    assert "没有 torch.nothing" in done.stderr and "minigrad has no module torch.nothing" in done.stderr


@pytest.mark.slow
def test_the_forward_call_of_an_anomaly_is_shown_from_the_programs_own_file_on(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\nw = torch.zeros(1, requires_grad=True)\n\n\ndef f(x):\n    return x / x\n\n\n"
        "with torch.autograd.detect_anomaly():\n    f(w).backward()\n",
        encoding="utf-8",
    )
    said = [python(*how, str(program)).stderr for how in ([], ["-m", "minigrad"])]
    theirs, ours = (re.search(r"caused the error:\n(.*?return x / x\n)", text, re.DOTALL)[1] for text in said)
    assert ours == theirs
    assert ours.startswith(f'  File "{program}", line 10, in <module>\n')


@pytest.mark.slow
def test_torchs_inner_modules_are_found_where_their_contents_are(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from torch.nn.modules.linear import Linear\nfrom torch.nn.modules import Module\nimport torch.nn.modules.loss as loss\n"
        "from torch.nn.parameter import Parameter\nfrom torch.optim.adam import Adam\nimport torch.nn.modules.conv as c\n"
        "from torch.optim.sgd import SGD\nfrom torch.nn.utils.clip_grad import clip_grad_norm_\nimport torch\n"
        "print(Linear is torch.nn.Linear, Parameter is torch.nn.Parameter, Adam is torch.optim.Adam, SGD is torch.optim.SGD)\n"
        "print(issubclass(c.Conv2d, Module), loss.MSELoss())\n",
        encoding="utf-8",
    )
    theirs, ours = python(str(program)), python("-m", "minigrad", str(program))
    assert theirs.returncode == ours.returncode == 0, ours.stderr
    assert ours.stdout == theirs.stdout == "True True True True\nTrue MSELoss()\n"


@pytest.mark.parametrize("name", named_torch.OUTER)
def test_these_inner_modules_are_torchs(name: str) -> None:
    assert importlib.util.find_spec(name) is not None


def test_a_program_that_is_not_there_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.py"]) == 2
    assert "there is no such file: nowhere.py" in capsys.readouterr().err


def test_torch_is_not_replaced_where_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", sys)
    with pytest.raises(RuntimeError, match="torch is loaded already"):
        named_torch.run(tmp_path / "program.py")


@pytest.mark.parametrize(
    "program, said",
    [
        (
            "from torch import histc",
            "ImportError: cannot import name 'histc' from 'minigrad'. torch has it, minigrad does not.",
        ),
        (
            "import torch; torch.cov",
            "AttributeError: module 'minigrad' has no attribute 'cov'. torch has it, minigrad does not.",
        ),
        (
            "from torch.nn import Liner",
            "ImportError: cannot import name 'Liner' from 'minigrad.nn'. Did you mean: 'Linear'?",
        ),
        ("from math import tanhh", "ImportError: cannot import name 'tanhh' from 'math'"),
        ("x = = 3", "SyntaxError: invalid syntax"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_is_traced_from_the_program_on(program: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)
    done = python("-m", "minigrad", str(path))
    frames = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert done.returncode == 1 and frames[0].startswith(f'  File "{path}", line 1')
    assert done.stderr.splitlines()[-1].startswith(said)
