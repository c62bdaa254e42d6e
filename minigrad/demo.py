"""The engine at work: a small network learns to read the 8×8 digits that scikit-learn brings along.

What it is for: `python -m minigrad`, and an example of a training loop. It is no part of the engine; scikit-learn and
rich are asked for only here, and only when it runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import draws, nn, no_grad, random, tensor
from .optim import AdamW
from .tensor import Tensor
from .training import train_epoch
from .viz import Drawing, GraphvizError, draw

TEST_SHARE = 0.2
BATCH = 64
NO_SKLEARN = (
    "这个演示用的是 scikit-learn 自带的 8×8 数字图像，这里没有装 scikit-learn。安装：pip install scikit-learn\n"
    "This demo reads the 8×8 digits that come with scikit-learn, which is not installed here. "
    "To install it: pip install scikit-learn"
)

Report = Callable[[int, float, float], None]  # called after every epoch with its number, mean loss, test accuracy


class MissingPackage(RuntimeError):
    """A package that only the demo needs is not installed; says so in both languages."""


@dataclass
class Digits:
    """Images (n, 64), float32 from -1 to 1, and the numbers they show (n,), int64; for training and for testing."""

    train_images: Tensor
    train_numbers: Tensor
    test_images: Tensor
    test_numbers: Tensor


@dataclass
class Outcome:
    """What training led to: the network, the last batch's loss with its graph, test accuracy, seconds."""

    network: nn.Module
    loss: Tensor
    accuracy: float
    seconds: float


def digits(seed: int = 0) -> Digits:
    """scikit-learn's bundled digits, shuffled and split; needs no network. MissingPackage without scikit-learn."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as missing:
        raise MissingPackage(NO_SKLEARN) from missing
    images, numbers = load_digits(return_X_y=True)
    random.manual_seed(seed)
    order = draws.randperm(len(images)).numpy()
    images, numbers = (tensor((images[order] / 8 - 1).astype("float32")), tensor(numbers[order].astype("int64")))
    n = round(len(order) * TEST_SHARE)
    return Digits(images[n:], numbers[n:], images[:n], numbers[:n])


def network() -> nn.Sequential:
    """64 pixels → 128 hidden units → 10 scores."""
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def train(data: Digits, epochs: int = 20, seed: int = 0, report: Report | None = None) -> Outcome:
    """Train a network on the digits. The same seed gives the same network."""
    random.manual_seed(seed)
    start, net = time.perf_counter(), network()
    optimizer, criterion = AdamW(net.parameters(), lr=3e-3), nn.CrossEntropyLoss()
    accuracy, total = 0.0, len(data.train_numbers)
    for epoch in range(1, epochs + 1):
        batches = draws.randperm(total).split(BATCH)
        mean = train_epoch(net, criterion, optimizer, data.train_images, data.train_numbers, batches)
        accuracy = accuracy_of(net, data.test_images, data.test_numbers)
        if report is not None:
            report(epoch, mean, accuracy)
    optimizer.zero_grad()
    loss = criterion(net(data.train_images[batches[-1]]), data.train_numbers[batches[-1]])
    loss.backward(retain_graph=True)  # the last graph is kept, to be drawn
    return Outcome(net, loss, accuracy, time.perf_counter() - start)


def accuracy_of(net: nn.Module, images: Tensor, numbers: Tensor) -> float:
    """The share of images whose highest score is the right one."""
    with no_grad():
        return (net(images).argmax(1) == numbers).float().mean().item()


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrices as small as these are multiplied fastest by one thread; on a busy machine several wait for each other.
    threadpoolctl, which comes with scikit-learn, sees to it."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield


# ------------------------------------------------------------------ what the user sees


@contextmanager
def progress(epochs: int, plain: bool = False) -> Iterator[Report]:
    """A bar that moves with every epoch: rich's on a terminal, where it is installed, else a line now and then."""
    bar: Any = None
    if not plain and sys.stdout.isatty():
        try:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        except ImportError:
            pass
        else:
            bar = Progress(
                TextColumn("训练 · training"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
            )
    if bar is None:
        yield lambda epoch, loss, accuracy: print_line(epoch, epochs, loss, accuracy)
        return
    with bar:
        task = bar.add_task("", total=epochs)
        yield lambda epoch, loss, accuracy: bar.update(task, completed=epoch, description=words(loss, accuracy))


def words(loss: float, accuracy: float) -> str:
    """Loss and accuracy as they are shown."""
    return f"损失 · loss {loss:.4f}   测试 · test {accuracy:.1%}"


def print_line(epoch: int, epochs: int, loss: float, accuracy: float) -> None:
    """Without a terminal: a line for the first and the last epoch and every fifth."""
    if epoch in (1, epochs) or epoch % 5 == 0:
        done = round(20 * epoch / epochs)
        print(f"{'█' * done}{'░' * (20 - done)} {epoch:>3}/{epochs}  {words(loss, accuracy)}", flush=True)


def picture(outcome: Outcome) -> Drawing:
    """The graph of the last loss, with the parameters' names, shapes and gradients."""
    return draw(outcome.loss, params=outcome.network)


def save_picture(outcome: Outcome, path: Path) -> tuple[Path, str]:
    """Write the picture; without Graphviz as DOT text beside it. Where it is, and what there is to say about it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing = picture(outcome)
    try:
        return drawing.save(path), ""
    except GraphvizError as missing:
        return drawing.save(path.with_suffix(".dot")), str(missing)
