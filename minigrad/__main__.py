"""`python -m minigrad`: the engine alone. Train the digits classifier and draw its graph, run a program, or test itself."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

DESCRIPTION = """\
训练一个小网络认 8×8 的手写数字（scikit-learn 自带，不联网），并把损失的计算图画成 SVG。
Train a small network on the 8×8 digits that come with scikit-learn (no network needed) and draw the loss's graph.

给出 PROGRAM，就改为运行那个为 torch 写的程序：其中的 torch 就是 minigrad。
With PROGRAM, run that program instead, written for torch: its torch is then minigrad."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m minigrad",
        usage="python -m minigrad [选项 · options]\n       python -m minigrad PROGRAM [...]",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    made.add_argument("program", nargs="?", type=Path, metavar="PROGRAM", help=argparse.SUPPRESS)
    made.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help=argparse.SUPPRESS)
    options = made.add_argument_group("选项 · options")
    options.add_argument("-h", "--help", action="help", help="显示这段说明 · show this text")
    options.add_argument(
        "--epochs", type=positive, default=20, metavar="N", help="训练几遍 · passes over the data (20)"
    )
    options.add_argument("--seed", type=int, default=0, metavar="N", help="随机种子 · random seed (0)")
    options.add_argument(
        "--graph", type=Path, default=Path("out/minigrad-loss.svg"), metavar="FILE",
        help="计算图画到哪里 · where to draw the graph (out/minigrad-loss.svg)",
    )  # fmt: skip
    options.add_argument("--plain", action="store_true", help="不用会动的进度条 · no moving progress bar")
    options.add_argument(
        "--self-test", action="store_true", help="不训练，检查引擎自己 · do not train; check the engine itself"
    )
    return made


def positive(text: str) -> int:
    """An int of at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"要一个正整数，不是 {text!r} · a positive whole number is wanted, not {text!r}"
        )
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status."""
    options = parser().parse_args(arguments)
    if options.self_test:
        from . import selftest

        return 1 if selftest.run() else 0
    if options.program is not None:
        if not options.program.is_file():
            print(f"没有这个文件 · there is no such file: {options.program}", file=sys.stderr)
            return 2
        from . import named_torch

        named_torch.run(options.program, options.arguments)
        return 0
    from . import demo

    try:
        data = demo.digits(options.seed)
    except demo.MissingPackage as missing:
        print(missing, file=sys.stderr)
        return 2
    with demo.one_thread(), demo.progress(options.epochs, options.plain) as report:
        outcome = demo.train(data, options.epochs, options.seed, report)
    right = round(outcome.accuracy * len(data.test_numbers))
    print(
        f"测试准确率 · test accuracy: {outcome.accuracy:.1%} ({right}/{len(data.test_numbers)})\n"
        f"训练用时 · training took: {outcome.seconds:.1f} s"
    )
    try:
        path, note = demo.save_picture(outcome, options.graph)
    except OSError as error:
        print(f"图写不到 {options.graph} · the graph could not be written there: {error.strerror}", file=sys.stderr)
        return 2
    print(f"损失的计算图 · the loss's graph: {path}" + (f"\n{note}" if note else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
