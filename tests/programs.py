"""Random programs over tensors, run on torch and on minigrad side by side.

A program is a list of statements; each is chosen by five bytes, looking at the tensors that are there by then, so most
of them make sense and some do not. Taking a statement out or making a byte smaller gives a simpler program, which is how
hypothesis shrinks a failure to one that can be pasted. `Pair` runs it; what is compared stands there.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from known_programs import KNOWN, NOW_THIS_NOW_THAT
from op_twin import CLOSE, graph
from program_tables import DTYPES, KINDS, MAKES, MODES, PREAMBLE, SHAPES, VALUES, WHEEL
from twin import first_sentence

import minigrad
from minigrad.ops import inplace

Choice = bytes


def literal(shape: tuple[int, ...], at: int, dtype: str) -> str:
    """Nested lists of sample values."""
    if not shape:
        value = VALUES[at % len(VALUES)]
        whole = abs(int(value * 2)) if dtype == "uint8" else int(value * 2)
        return repr(whole if "int" in dtype else value > 0 if dtype == "bool" else value)
    size = int(np.prod(shape[1:]))
    return "[" + ", ".join(literal(shape[1:], at + i * size, dtype) for i in range(shape[0])) + "]"


def fits(a: Any, b: Any) -> bool:
    """Whether two shapes broadcast."""
    return all(n == m or 1 in (n, m) for n, m in zip(reversed(a.shape), reversed(b.shape), strict=False))


def statement(choice: Choice, tensors: dict[str, Any], fresh: str) -> str:
    """The statement that five bytes choose, with the tensors that are there."""
    kind, template, first, second, extra = choice
    what, _, templates = KINDS[WHEEL[kind % len(WHEEL)] if tensors else 0]
    if what == "leaf":
        shape, dtype = SHAPES[template % len(SHAPES)], DTYPES[first % len(DTYPES)]
        grad = ", requires_grad=True" if dtype.startswith("float") and second % 4 else ""
        return f"{fresh} = T.tensor({literal(shape, extra, dtype)}, dtype=T.{dtype}{grad})"
    names = list(tensors)
    a = names[-1 - first % len(names)]
    alike = [n for n in names if fits(tensors[a], tensors[n])] if extra % 16 else names
    b = alike[second % len(alike)] if alike else a
    text = templates[template % len(templates)].format(a=a, b=b)
    if what in MAKES:
        text = f"{fresh} = {text}"
    modes = MODES if what in ("unary", "in place") or (what == "binary" and "expand" not in text) else {}
    return f"with {modes[extra % 32]}: {text}" if extra % 32 in modes else text


# ------------------------------------------------------------------ running on both


class Said(NamedTuple):
    """What a statement printed, warned and raised."""

    text: str
    error: str | None


# What both engines warn of once in a process, whoever brings it about; here it has been said before a program begins.
ONCE = """\
with contextlib.suppress(RuntimeError): T.zeros(3).T, T.zeros(()).T, T.zeros(()).H
T.zeros(()).adjoint(), T.zeros(()).mT, T.zeros(()).mH
T.meshgrid(T.zeros(1))
T.tensor([T.zeros(1).numpy()])
float(T.ones((), requires_grad=True))
T.ones((), requires_grad=True).backward(create_graph=True)
T.searchsorted(T.ones(3, 2).t(), T.ones(3, 2).t())
T.nn.functional.conv1d(T.ones(1, 1, 3), T.ones(1, 1, 2), padding="same")
"""


@functools.cache
def let_once_said_be_said() -> None:
    """Bring about the warnings that come once in a process, in both engines."""
    for engine in (torch, minigrad):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(ONCE, {"T": engine, "contextlib": contextlib})


@functools.cache
def preamble(engine: Any) -> dict[str, Any]:
    """The variables that every program begins with."""
    space = {"T": engine}
    exec(PREAMBLE, space)
    return space


class Pair:
    """The two engines with the variables of one program; every statement runs on both and is compared."""

    def __init__(self) -> None:
        let_once_said_be_said()
        self.spaces: dict[Any, dict[str, Any]] = {engine: dict(preamble(engine)) for engine in (torch, minigrad)}
        self.loose: set[str] = set()  # what came from create_graph, func and vmap: there graphs are made in other ways
        self.rough = "float64"  # the coarsest dtype that takes part: its last digits may stand in finer results, too
        self.lines: list[str] = []

    def tensors(self) -> dict[str, Any]:
        """torch's tensors, by name, in the order in which they were made."""
        return {name: value for name, value in self.spaces[torch].items() if isinstance(value, torch.Tensor)}

    def has_nan(self) -> bool:
        """Whether nan stands in any of the variables."""
        return any(bool(tensor.isnan().any()) for tensor in self.tensors().values())

    def meet(self, names: set[str]) -> bool:
        """Whether some of these tensors lie on themselves or on one another, in a way in which torch does not notice."""
        named = [t.detach().numpy() for name, t in self.tensors().items() if name in names]
        loose = [t for t in named if not inplace.dense(t)]
        return any(
            0 in one.strides if other is one else np.shares_memory(one, other) for one in loose for other in named
        )

    def run(self, line: str) -> str | None:
        """Run a statement on both; in what they differ afterwards, or None."""
        self.lines.append(line)
        code = compile(line, "<program>", "exec")
        expected, got = self.on(torch, code), self.on(minigrad, code)
        words = set(re.findall(r"\b[a-z]\d+\b", line))
        if re.search(r"create_graph|T\.func\.|T\.vmap", line) or words & self.loose:
            self.loose |= words
        if expected.error != got.error or not equal_but_for_rounding(expected.text, got.text):
            fault: str | None = f"torch said {expected}\nminigrad said {got}"
        else:
            fault = next(self.faults(words), None)
        if fault is not None and any(re.search(known, f"{fault}\n{self.program()}") for known, _ in KNOWN):
            raise EndOfProgram
        if fault is not None and re.match(r"x\d+: torch (?!prints)", fault) and self.meet(words):
            raise EndOfProgram  # what is read while it is written hangs on the order
        if fault is not None and re.search("copysign|signbit", line) and self.has_nan():
            raise EndOfProgram  # whose sign is left open
        if fault is not None and expected.error and re.match(r"x\d+: torch [^,]*[\d\[]", fault) and expected == got:
            raise EndOfProgram  # torch has written a part before it noticed
        if fault is None and any(tensor.numel() > MANY for tensor in self.tensors().values()):
            raise EndOfProgram
        return fault

    def on(self, engine: Any, code: Any) -> Said:
        """Run a statement on one engine."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(code, self.spaces[engine])
                error = None
            except Exception as raised:  # the other engine has to raise the same
                words = str(raised)
                for found, one in NOW_THIS_NOW_THAT:
                    words = re.sub(found, one, words)
                error = f"{type(raised).__name__}: {first_sentence(words)}"
            for warning in caught:
                if not re.search(
                    "encountered in|layout contract", str(warning.message)
                ):  # NumPy's own; of strides alone
                    print(f"{warning.category.__name__}: {first_sentence(str(warning.message))}")
        text = re.sub(r"\.0*(?=\D|$)", ".", re.sub(r"<function [^>]*>|0x[0-9a-f]+", "…", out.getvalue()))
        return Said(re.sub(r"\d+\.\d+(e[+-]\d+)?", rounded, text), error and re.sub(r"0x[0-9a-f]+", "0x…", error))

    def faults(self, words: set[str]) -> Iterator[str]:
        """In what the variables differ; graphs are followed only of the tensors that the statement names."""
        ours = self.spaces[minigrad]
        for name, theirs in self.tensors().items():
            if not isinstance(ours.get(name), minigrad.Tensor):
                yield f"{name} is no tensor of minigrad"
                continue
            floating = theirs.is_floating_point()
            coarse = str(theirs.dtype)[6:] if floating else "float32" if name in words else "float64"
            self.rough = max(self.rough, coarse, key=ROUGHER.index)  # functions of whole numbers are float32
            fault = tensor_fault(ours[name], theirs, self.rough)
            if fault is None and name in words and name not in self.loose and not self.loose:
                fault = graph_fault(ours[name], theirs)
            if fault:
                yield f"{name}: {fault}"

    def program(self) -> str:
        """The program so far, to be pasted."""
        return "import torch as T  # or: import minigrad as T\n" + PREAMBLE + "\n".join(self.lines)


ROUGHER = ("float64", "float32", "float16")
NUMBER = r"-?\d+\.\d*(e[+-]\d+)?"


def equal_but_for_rounding(one: str, other: str) -> bool:
    """Whether two printed texts differ in numbers alone, and those in their last digits: what is nearly 0 in one may be 0
    in the other, and written in another format."""
    if one == other:
        return True
    numbers = [[float(match.group()) for match in re.finditer(NUMBER, text)] for text in (one, other)]
    rest = [re.sub(NUMBER, "#", text).split() for text in (one, other)]
    return rest[0] == rest[1] and np.allclose(*numbers, rtol=0.01, atol=1e-9)


def rounded(match: re.Match[str]) -> str:
    """A printed number without its last digits, which rounding may turn."""
    return f"{float(match.group()):.2e}"


MANY = 3000  # elements: two such tensors multiply to millions, and three more statements would take all memory there is


class EndOfProgram(Exception):
    """From here on the engines are known to go different ways."""


FACTS = ("dtype", "shape", "requires_grad", "_version", "is_leaf", "output_nr", "retains_grad")


def asked(fact: Callable[[Any], Any], tensor: Any) -> Any:
    """A fact, or the error that asking for it raises, as it does of views that a write has left behind."""
    try:
        return fact(tensor)
    except RuntimeError as error:
        return first_sentence(str(error))


def tensor_fault(ours: Any, theirs: Any, rough: str, deep: bool = True) -> str | None:
    """In what two tensors differ, by more than a float dtype as rough as `rough` rounds away."""
    for fact in FACTS if deep else FACTS[:2]:
        a, b = (str(asked(lambda t: getattr(t, fact), t)) for t in (theirs, ours))  # noqa: B023 (used at once)
        if a != b:
            return f"{fact} of {theirs.dtype}: torch {a}, minigrad {b}"
    mine, its = ours.detach().numpy(), theirs.detach().numpy(force=True)
    rtol, atol = CLOSE[rough] if mine.dtype.kind == "f" else (0, 0)
    if not np.allclose(mine, its, rtol * 50, atol * 50, equal_nan=True):
        return f"torch {its.tolist()}, minigrad {mine.tolist()}"
    if mine.flags.writeable:
        np.copyto(mine, its)  # the next statement begins with the same numbers: last digits do not grow to differences
    if deep and asked(lambda t: t.is_leaf or t.retains_grad, theirs) is True:
        grads = ours.grad, theirs.grad
        if (grads[0] is None) != (grads[1] is None):
            return f"grad: torch {grads[1]}, minigrad {grads[0]}"
        fault = tensor_fault(*grads, rough, deep=False) if grads[1] is not None else None
        return fault and f"grad: {fault}"
    return None


def graph_fault(ours: Any, theirs: Any) -> str | None:
    """In what the graphs, or with equal values the texts, of two tensors differ."""
    a, b = (asked(lambda t: graph(t.grad_fn, 3), t) for t in (theirs, ours))
    if a != b:
        return f"graph: torch {a}, minigrad {b}"
    mine, its = ours.detach().numpy(), theirs.detach().numpy(force=True)
    if mine.tobytes() == its.tobytes() and asked(repr, ours) != asked(repr, theirs):
        return f"torch prints {theirs!r}, minigrad {ours!r}"
    return None


def run(choices: list[Choice]) -> None:
    """Run the program that the choices make; AssertionError with the program where the engines differ."""
    pair = Pair()
    with contextlib.suppress(EndOfProgram):
        for number, choice in enumerate(choices):
            line = statement(choice, pair.tensors(), f"x{number}")
            fault = pair.run(line)
            assert fault is None, f"\n{pair.program()}\n\n{fault}"


def replay(program: str) -> None:
    """Run the statements of a written program, one a line."""
    pair = Pair()
    for line in program.strip().splitlines():
        fault = pair.run(line)
        assert fault is None, f"\n{pair.program()}\n\n{fault}"
