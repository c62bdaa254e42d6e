"""argparse in both languages: headings, and what is wrong with a command line. What the commands are is cli.py's."""

from __future__ import annotations

import argparse
import difflib
import re
from typing import Any, NoReturn

# What argparse says of a command line, and the Chinese for it.
_SAID = {
    r"the following arguments are required: (.+)": "还缺：{}",
    r"argument (.+): expected one argument": "{} 后面要有一个值",
    r"argument (.+): invalid int value: (.+)": "{} 后面要是整数，不是 {}",
    r"argument COMMAND: invalid choice: (\S+).*": "没有 {} 这个命令",
    r"unrecognized arguments: (.+)": "不认识：{}",
}
_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")  # by which Dask's schedulers can be reached


class Parser(argparse.ArgumentParser):
    """An argument parser whose own words are Chinese and English."""

    def __init__(self, **given: Any):
        super().__init__(**given, add_help=False)
        self._positionals.title, self._optionals.title = "参数 · arguments", "选项 · options"
        self.add_argument("-h", "--help", action="help", help="显示这一页 · show this page")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's, but what is left over is told by the command to which it was given."""
        given, left = self.parse_known_args(args, namespace)
        if left:
            getattr(given, "parser", self).error(f"unrecognized arguments: {' '.join(left)}")
        return given

    def error(self, message: str) -> NoReturn:
        """Say in both languages what is wrong and where help is, and leave with status 2."""
        found = [(match, zh) for said, zh in _SAID.items() if (match := re.fullmatch(said, message))]
        chinese = found[0][1].format(*found[0][0].groups()) if found else "命令没有写对"
        self.exit(2, f"{self.format_usage()}✗ {chinese} · {message}\n  → {self.prog} {_nearest(message) or '--help'}\n")


def _nearest(message: str) -> str | None:
    """The command that a misspelled one was meant to be, if there is one like it."""
    if not (match := re.match(r"argument COMMAND: invalid choice: '(.*?)' \(choose from (.*)\)", message)):
        return None
    near = difflib.get_close_matches(match[1], re.findall(r"\w+", match[2]), n=1)
    return near[0] if near else None


def at_least_one(given: str) -> int:
    """A whole number from 1 on."""
    if not given.isdecimal() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"应为 1 以上的整数 · a whole number from 1 on: {given!r}")
    return int(given)


def scheduler(given: str) -> str:
    """The address of a Dask scheduler."""
    if not re.fullmatch(rf"(({'|'.join(_SCHEMES)})://)?(\[[\da-fA-F:.]+\]|[^\s:/\[\]]+):\d{{1,5}}", given):
        known = "  ".join(f"{each}://HOST:PORT" for each in _SCHEMES)
        raise argparse.ArgumentTypeError(
            f"应为 Dask 调度器的地址 · the address of a Dask scheduler ({known}): {given!r}"
        )
    return given
