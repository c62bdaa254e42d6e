"""Imports of torch's modules in programs that run with minigrad for torch: what minigrad lacks may be imported and not used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from project_files import ROOT

from minigrad import named_torch
from minigrad.nn.modules import INNER
from minigrad.torch_only import MODULES, only_torch_has

ONLY_TORCHS = [f"{home}.{name}".lstrip(".") for home, names in MODULES.items() for name in names.split()]
IMPORTS = """
import torch.nn.parallel, torch.hub, torch.onnx, torch.version, torch.special, torch.sparse, torch.profiler, torch.jit
import torch.fft as fft, torch.multiprocessing as mp, torch.distributed as dist
import torch.utils.tensorboard, torch.nn.utils.prune, torch.compiler.config, torch.backends.cuda, torch.backends.mps
from torch import distributed, multiprocessing
from torch.nn import parallel
from torch.utils.data._utils.collate import default_collate
from torch.nn.utils.stateless import functional_call
from torch.nn.modules.loss import MSELoss, _Loss, _WeightedLoss
from torch.nn.modules.batchnorm import BatchNorm2d, _BatchNorm
from torch.nn.modules.conv import Conv2d, _ConvNd
from torch.nn.modules.rnn import LSTM, LSTMCell, RNNBase
from torch.nn.modules.utils import _pair, _single, _triple
from torch.nn.modules.module import Module, register_module_forward_hook
from torch.nn.common_types import _size_2_t
from torch.cuda.amp import GradScaler, autocast
from torch.cuda.amp.grad_scaler import GradScaler as Same
import torch
print(fft is torch.fft, dist is distributed, mp is multiprocessing, parallel is torch.nn.parallel, Same is GradScaler)
print(torch.backends.cuda.matmul.allow_tf32, torch.backends.mps.is_available(), torch.nn.modules.Linear is torch.nn.Linear)
print(isinstance(BatchNorm2d(1), _BatchNorm), issubclass(MSELoss, _Loss), issubclass(Conv2d, _ConvNd), issubclass(LSTM, RNNBase))
print(Module is torch.nn.Module, _pair(3), default_collate([1, 2]), LSTMCell is torch.nn.LSTMCell)
"""


def run(text: str, folder: Path, *how: str) -> subprocess.CompletedProcess[str]:
    """What a program does in a process of its own."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    command = [sys.executable, *how, str(folder / "program.py")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_what_is_imported_and_not_used_ends_no_program(tmp_path: Path) -> None:
    ours = run(IMPORTS, tmp_path, "-m", "minigrad")
    assert ours.returncode == 0, ours.stderr
    without_tensorboard = IMPORTS.replace("torch.utils.tensorboard, ", "")
    assert ours.stdout == run(without_tensorboard, tmp_path).stdout


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("from torch.fft import rfft", "ImportError: cannot import name 'rfft' from 'minigrad.fft'. "),
        ("import torch.fft\ntorch.fft.rfft", "AttributeError: module 'minigrad.fft' has no attribute 'rfft'. "),
        (
            "import torch.distributed as d\nassert not hasattr(d, 'rpc')\nd.get_rank()",
            "AttributeError: module 'minigrad.distributed' has no attribute 'get_rank'. ",
        ),
    ],
)
def test_what_is_used_of_it_is_refused_at_once(program: str, said: str, tmp_path: Path) -> None:
    done = run(program, tmp_path, "-m", "minigrad")
    words = "torch has it, minigrad does not. All names: docs/api.md"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, said + words)


@pytest.mark.parametrize("name", ["nothing", "fft.nothing", "nn.Linear", "nn.functional.relu", "nn.modules.nothing"])
def test_a_module_that_torch_lacks_as_well_is_not_found(name: str, tmp_path: Path) -> None:
    done = run(f"import torch.{name}", tmp_path, "-m", "minigrad")
    assert done.stderr.splitlines()[-1].startswith(f"ModuleNotFoundError: minigrad 没有 torch.{name} 这个模块")


def in_torch(name: str) -> bool:
    """Whether torch has a file or folder for this module, found without loading any part of torch."""
    path = None
    for depth in range(1, name.count(".") + 2):
        spec = PathFinder.find_spec(".".join(name.split(".")[:depth]), path)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return True


@pytest.mark.parametrize("name", ONLY_TORCHS)
def test_torch_has_these_modules_and_minigrad_has_not(name: str) -> None:
    assert in_torch(f"torch.{name}") and only_torch_has(name) and f"torch.{name}" not in named_torch.OUTER
    home, _, last = name.rpartition(".")
    if only_torch_has(home):
        return
    ours = importlib.import_module(f"minigrad.{home}".rstrip("."))
    assert not hasattr(ours, last) and in_torch(ours.__name__) and not in_torch(f"minigrad.{name}")


@pytest.mark.parametrize("name", INNER)
def test_torch_has_these_files_of_modules(name: str) -> None:
    assert in_torch(f"torch.nn.modules.{name}")
