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
from op_twin import CLOSE, graph
from twin import first_sentence

import minigrad

SHAPES = ((2, 3), (3,), (), (3, 2), (2, 1), (1, 3), (2,), (2, 3, 2), (0,), (1,), (3, 3))
DTYPES = ("float64",) * 10 + ("float32",) * 3 + ("int64",) * 2 + ("bool",)
VALUES = (0.5, -1.0, 2.0, 0.0, 1.5, -0.5, 1.0, 3.0, -2.0, 0.25, -1.5, 1.0)

UNARY = (
    "exp() sin() tanh() sigmoid() relu() abs() neg() square() sqrt() log() reciprocal() sign() floor() clone() cos() "
    "clamp(-1,1) pow(2) pow(3) unsqueeze(0).softmax(-1) unsqueeze(0).log_softmax(-1) cumsum(0) "
    "float() double() long() tril() flip(0) expm1() rsqrt() erf() trunc() round() contiguous() isnan() logical_not() "
    "nan_to_num() atan()"
).split()
BINARY = (
    "{a} + {b}", "{a} * {b}", "{a} - {b}", "{a} / {b}", "{a} + 1.5", "2 * {a}", "1 - {a}", "{a} ** 2", "2 / {a}", "{a} / 4",
    "T.maximum({a}, {b})", "T.minimum({a}, {b})", "{a} ** {b}", "T.where({a} > 0, {a}, {b})", "{a} > {b}", "{a} == {b}",
    "{a} // 2", "{a} % 2", "T.add({a}, {b}, alpha=2)", "T.stack([{a}, {b}])", "T.cat([{a}, {b}])", "{a} @ {b}", "{a} @ {b}.t()",
    "T.outer({a}.flatten(), {b}.flatten())", "T.atan2({a}, {b})", "T.lerp({a}, {b}, 0.5)", "-{a}", "{a} * True",
    "T.nn.functional.mse_loss({a}, {b})", "{a}.expand_as({b})", "T.addcmul({a}, {b}, {a})", "T.hypot({a}, {b})",
)  # fmt: skip
REDUCE = (
    "sum()", "sum(0)", "mean()", "sum(-1, True)", "max()", "min()", "max(0)[0]", "prod()", "mean(-1)", "var()", "std(0)",
    "norm()", "logsumexp(0)", "amax(0)", "argmax()", "all()", "any()", "median()", "sort()[0]", "cumprod(0)", "topk(1)[0]",
    "prod(0)", "min(-1)[0]", "sum((0, 1))", "count_nonzero()",
)  # fmt: skip
VIEWS = (
    ".view(-1)", "[0]", ".t()", ".unsqueeze(0)", ".detach()", ".reshape(-1)", "[1:]", "[..., 0]", ".squeeze()", "[:, 1]",
    ".flatten()", ".transpose(0, 1)", ".expand(2, *{a}.shape)", "[None]", ".diagonal()",
    ".view(3, 2)", "[::2]", ".narrow(0, 0, 1)", ".data", ".T", ".permute(1, 0)", "[...]", ".mT", "[-1]",
)  # fmt: skip
INDEX = (
    "{a}[{a} > 0]", "{a}[[0, 1]]", "{a}.index_select(0, T.tensor([1, 0]))", "{a}.gather(0, T.zeros_like({a}).long())",
    "{a}.masked_fill({a} > 0, 2.0)", "{a}.take(T.tensor([0, 1]))", "{a}[T.tensor([0, 0])]", "{a}.repeat(2, 1)",
    "{a}[:, [0, 1]]", "{a}.scatter_add(0, T.zeros_like({a}).long(), {a})", "{a}.masked_select({a} < 1)", "{a}.nonzero()",
    "{a}.roll(1)", "{a}.repeat_interleave(2)", "{a}[T.tensor(1)]", "{a}[{a}.argmax()]",
)  # fmt: skip
IN_PLACE = (
    "{a}.mul_(2)", "{a} += {b}", "{a}[0] = {b}", "{a}.add_({b})", "{a}.zero_()", "{a}.copy_({b})", "{a}.relu_()", "{a} *= {b}",
    "{a}.exp_()", "{a}[0] = 1.5", "{a}.fill_(0.5)", "{a}.sub_(1)", "{a}[{a} > 0] = 0", "{a}.tanh_()", "{a}.neg_()",
    "{a}.t_()", "{a}.unsqueeze_(0)", "{a}.masked_fill_({a} > 0, 1.0)", "{a}[..., 0] = {b}", "{a} -= {b}", "{a} /= 2", "{a}.sqrt_()",
    "{a}[:] = {b}", "{a}[1:].mul_(3)", "{a}.view(-1).add_(1)", "{a}.squeeze_()", "{a}.pow_(2)", "{a} **= 2", "{a}.eq_({b})",
)  # fmt: skip
STATE = (
    "{a}.data.add_(1)", "{a}.detach_()", "{a}.requires_grad_()", "{a}.requires_grad_(False)", "{a}.retain_grad()",
    "{a}.grad = None", "{a}.grad.zero_()", "{a}.requires_grad = True", "{a}.detach().mul_(2)", "{a}.grad = T.ones_like({a})",
    "print({a})", "print({a}.is_leaf, {a}.requires_grad, {a}.output_nr)", "print({a}.tolist())", "print(bool({a}))", "del {a}.grad",
    "print({a}.grad_fn)", "print({a}.detach().double().item())", "print(len({a}), {a}.ndim)", "{a}.register_hook(seen('{a}'))",
    "{a}.register_hook(lambda g: g * 2)", "{a}.register_post_accumulate_grad_hook(lambda p: print('{a}', p.grad.shape))",
    "{a}.grad_fn.register_hook(lambda i, o: print('{a}', [x is not None for x in i], len(o)))",
    "{a}.grad_fn.register_prehook(lambda o: print('{a}', len(o)))", "{a}.register_hook(lambda g: g[0])", "print({a}.T)",
)  # fmt: skip
BACKWARD = (
    "{a}.sum().backward()", "{a}.backward()", "{a}.sum().backward(retain_graph=True)", "{a}.backward(T.ones_like({a}))",
    "({a} * {b}).sum().backward()", "{a}.sum().backward(inputs=[{b}])", "{a}.sum().backward(create_graph=True)",
    "T.autograd.backward([{a}.sum(), {b}.sum()])", "{a}.backward({b}.detach().clone())",
)  # fmt: skip
GRAD = (
    "T.autograd.grad({a}.sum(), [{b}])[0].clone()", "T.autograd.grad({a}.sum(), [{b}], allow_unused=True)[0].clone()",
    "T.autograd.grad({a}.sum(), {b}, create_graph=True)[0].clone()",
    "T.autograd.grad({a}, {b}, T.ones_like({a}), retain_graph=True)[0].clone()",
    "T.autograd.grad({a}.sum(), [{b}], materialize_grads=True)[0].clone()",
)  # fmt: skip

# kind, how often of 32, its templates; kinds that make a tensor are assigned to a new name
KINDS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("leaf", 4, ()), ("unary", 4, tuple(f"{{a}}.{u}" for u in UNARY)), ("binary", 5, BINARY),
    ("reduce", 2, tuple(f"{{a}}.{r}" for r in REDUCE)), ("view", 4, tuple(f"{{a}}{v}" for v in VIEWS)), ("index", 2, INDEX),
    ("in place", 4, IN_PLACE), ("state", 3, STATE), ("backward", 3, BACKWARD), ("grad", 1, GRAD),
)  # fmt: skip
WHEEL = tuple(index for index, (_, weight, _) in enumerate(KINDS) for _ in range(weight))
MODES = {3: "no_grad", 5: "enable_grad", 7: "no_grad"}
MAKES = {"unary", "binary", "reduce", "view", "index", "grad"}

PREAMBLE = """\
def seen(name):
    return lambda g: print("hook", name, tuple(g.shape), g.requires_grad)
"""
Choice = bytes


def literal(shape: tuple[int, ...], at: int, dtype: str) -> str:
    """Nested lists of sample values."""
    if not shape:
        value = VALUES[at % len(VALUES)]
        return repr(int(value * 2) if dtype == "int64" else value > 0 if dtype == "bool" else value)
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
    return f"with T.{modes[extra % 32]}(): {text}" if extra % 32 in modes else text


# ------------------------------------------------------------------ running on both


class Said(NamedTuple):
    """What a statement printed, warned and raised."""

    text: str
    error: str | None


# What both engines warn of once in a process, whoever brings it about; here it has been said before a program begins.
ONCE = """\
with contextlib.suppress(RuntimeError): T.zeros(3).T, T.zeros(()).T, T.zeros(()).mT, T.zeros(()).H
T.ones((), requires_grad=True).backward(create_graph=True)
"""


@functools.cache
def let_once_said_be_said() -> None:
    """Bring about the warnings that come once in a process, in both engines."""
    for engine in (torch, minigrad):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(ONCE, {"T": engine, "contextlib": contextlib})


class Pair:
    """The two engines with the variables of one program; every statement runs on both and is compared."""

    def __init__(self) -> None:
        let_once_said_be_said()
        self.spaces: dict[Any, dict[str, Any]] = {torch: {"T": torch}, minigrad: {"T": minigrad}}
        for space in self.spaces.values():
            exec(PREAMBLE, space)
        self.loose: set[str] = set()  # what came from create_graph: there torch's nodes have names of their own
        self.rough = False  # whether float32 takes part: its last digits may then stand in float64 results, too
        self.lines: list[str] = []

    def tensors(self) -> dict[str, Any]:
        """torch's tensors, by name, in the order in which they were made."""
        return {name: value for name, value in self.spaces[torch].items() if isinstance(value, torch.Tensor)}

    def run(self, line: str) -> str | None:
        """Run a statement on both; in what they differ afterwards, or None."""
        self.lines.append(line)
        code = compile(line, "<program>", "exec")
        expected, got = self.on(torch, code), self.on(minigrad, code)
        words = set(re.findall(r"\b[a-z]\d+\b", line))
        if "create_graph" in line or words & self.loose:
            self.loose |= words
        if expected != got:
            fault: str | None = f"torch said {expected}\nminigrad said {got}"
        else:
            fault = next(self.faults(words), None)
        if fault is not None and any(re.search(known, fault) for known, _ in KNOWN):
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
                if "encountered in" not in str(warning.message):  # NumPy's own, which users' filters never show
                    print(f"{warning.category.__name__}: {first_sentence(str(warning.message))}")
        text = re.sub(r"\.0*(?=\D|$)", ".", re.sub(r"0x[0-9a-f]+", "0x…", out.getvalue()))
        return Said(re.sub(r"\d+\.\d+(e[+-]\d+)?", rounded, text), error and re.sub(r"0x[0-9a-f]+", "0x…", error))

    def faults(self, words: set[str]) -> Iterator[str]:
        """In what the variables differ; graphs are followed only of the tensors that the statement names."""
        ours = self.spaces[minigrad]
        for name, theirs in self.tensors().items():
            if not isinstance(ours.get(name), minigrad.Tensor):
                yield f"{name} is no tensor of minigrad"
                continue
            self.rough = self.rough or theirs.dtype is torch.float32
            fault = tensor_fault(ours[name], theirs, self.rough)
            if fault is None and name in words and name not in self.loose and not self.loose:
                fault = graph_fault(ours[name], theirs)
            if fault:
                yield f"{name}: {fault}"

    def program(self) -> str:
        """The program so far, to be pasted."""
        return "import torch as T  # or: import minigrad as T\n" + PREAMBLE + "\n".join(self.lines)


def rounded(match: re.Match[str]) -> str:
    """A printed number without its last digits, which rounding may turn."""
    return f"{float(match.group()):.2e}"


# Where torch itself says now one thing, now another: the names of dtypes; and it reads past the sizes of a 0-d tensor.
NOW_THIS_NOW_THAT = (
    (r"torch\.(\w+)Tensor\{|CPU(\w+)Type\{", r"\1\2{"),
    (r"index -?\d+ is out of bounds for dimension 0 with size 0", "select() cannot be applied to a 0-dim tensor."),
)

# Differences that are known, and why they stay; a program ends there.
KNOWN = (
    (r"requires_grad of torch.(int64|bool): torch True", "fill_ lets whole numbers require grad in torch"),
    (r"torch.*Subtraction.*\n.*single memory location", "both refuse; torch looks at the dtypes of a difference first"),
    (r"torch.*returned an invalid gradient", "torch holds gradients against the shape that a leaf had before x.t_()"),
)


class EndOfProgram(Exception):
    """From here on the engines are known to go different ways."""


FACTS = ("dtype", "shape", "requires_grad", "_version", "is_leaf", "output_nr", "retains_grad")


def asked(fact: Callable[[Any], Any], tensor: Any) -> Any:
    """A fact, or the error that asking for it raises, as it does of views that a write has left behind."""
    try:
        return fact(tensor)
    except RuntimeError as error:
        return first_sentence(str(error))


def tensor_fault(ours: Any, theirs: Any, rough: bool, deep: bool = True) -> str | None:
    """In what two tensors differ; `rough`: as float32 would."""
    for fact in FACTS if deep else FACTS[:2]:
        a, b = (str(asked(lambda t: getattr(t, fact), t)) for t in (theirs, ours))  # noqa: B023 (used at once)
        if a != b:
            return f"{fact} of {theirs.dtype}: torch {a}, minigrad {b}"
    mine, its = ours.detach().numpy(), theirs.detach().numpy(force=True)
    rtol, atol = CLOSE.get("float32" if rough and mine.dtype.kind == "f" else mine.dtype.name, (0, 0))
    if not np.allclose(mine, its, rtol * 50, atol * 50, equal_nan=True):
        return f"torch {its.tolist()}, minigrad {mine.tolist()}"
    if deep and (theirs.is_leaf or theirs.retains_grad):
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
