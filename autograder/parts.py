"""Parts: named pieces of the engine that a learner writes, and the plugs that put them into the live engine.

    @implements("minigrad.optim.SGD.step")
    def step(self): ...

From then on the whole engine runs on the learner's function. A part is a function, a method, a property or a class,
named by its dotted path. Every reference that the engine holds to the original is replaced, by identity, with one
counting wrapper, without a marker in the engine. Running a lesson's cell again only changes what the wrapper calls.

Not here: what a part must do (checks/), nor any import beyond NumPy's and the engine's own: the sandbox uses this.
"""

from __future__ import annotations

import ast
import dis
import functools
import importlib
import inspect
import math
import pkgutil
import textwrap
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from autograder.by_name import instead
from autograder.errors import NotWritten, UnknownName
from autograder.kinds import Returned
from autograder.messages import Text, text
from autograder.signatures import check_signature
from autograder.swap import engine_modules, index, replace_everywhere
from minigrad import ops

ENGINE = "minigrad"
NOT_WRITTEN = NotWritten.__name__  # the class, in reports of errors, of every error that says so
YOURS = "is yours to write"  # what the bodies taken out of the learner's edition say (editions.py)
MOST_CALLS = 2000  # of one part, for one property of a check; the engine's own come to 672
ops.load_all()  # a part may be anywhere in the engine, and wherever it is used it has to be found


@dataclass
class _Plug:
    """One plugged part: the engine's own object, its current replacement, and how often that was used."""

    original: Any
    target: Callable[..., Any]
    wrapper: Any = None
    calls: int = 0
    most: float = math.inf  # calls that are let through
    unwritten: bool = False  # it raised NotImplementedError
    returned: Returned = field(default_factory=Returned)


_plugs: dict[str, _Plug] = {}
_checking: list[Collection[str]] = []  # the parts of the check that runs


# ── What a learner or a check calls ──────────────────────────────────────────────────────────────


def implements(name: str) -> Callable[[Any], Any]:
    """Plug the decorated function or class into the engine as part `name`; the name itself stays usable."""
    if not isinstance(name, str):  # without brackets it is the function itself
        raise UnknownName("implements_which", getattr(name, "__name__", name), names())
    original(name)  # an unknown name is refused before the function is even looked at

    def plug_it(written: Any) -> Any:
        plug(name, written)
        if is_stub(written):
            note = text("stub_left" if has_code(written) else "stub_plugged", short=name.rpartition(".")[2])
            print(note)
        return written

    return plug_it


def is_stub(written: Any) -> bool:
    """Whether a function, or a method of a class, still names NotImplementedError."""
    functions = vars(written).values() if isinstance(written, type) else [written]
    return any("NotImplementedError" in each.__code__.co_names for each in functions if hasattr(each, "__code__"))


def is_empty(written: Any) -> bool:
    """Whether a function has no code: nothing beside its docstring, `pass` and `return`."""
    code = getattr(written, "__code__", None)
    return code is not None and all(
        each.opname in ("RESUME", "NOP") or (each.opname in NOTHING and each.argval is None)
        for each in dis.get_instructions(code)
    )


NOTHING = ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")
STUB = set("RESUME LOAD_GLOBAL PUSH_NULL CACHE PRECALL CALL CALL_FUNCTION LOAD_CONST RAISE_VARARGS NOP".split())


def has_code(written: Any) -> bool:
    """Whether a function does something beside raising: the learner's code stands above or below the line that was left."""
    code = getattr(written, "__code__", None)
    return code is not None and (
        any(each.opname not in STUB for each in dis.get_instructions(code)) or goes_on(written)
    )


def goes_on(written: Any) -> bool:
    """Whether a function's source goes on below a `raise`, which Python leaves out of its code."""
    try:
        node: Any = ast.parse(textwrap.dedent(inspect.getsource(written))).body[0]
    except (OSError, SyntaxError, TypeError):
        return False
    return any(isinstance(each, ast.Raise) for each in node.body[:-1])


@contextmanager
def checking(asked: Collection[str]) -> Iterator[None]:
    """While a check runs, a part it asks for that is not written is an error. For other parts, and anywhere else, the
    engine goes on with its own, so that a lesson can be read, run and written in any order."""
    _checking.append(asked)
    try:
        yield
    finally:
        _checking.pop()


@contextmanager
def counting() -> Iterator[None]:
    """Parts that call each other by name are counted, too, and none may be called for ever."""
    count_anew()
    wrappers = {id(target): _plugs[name].wrapper for name, target in _learners() if not is_stub(target)}
    try:
        with instead(wrappers, plugged().values()):
            yield
    finally:
        for this in _plugs.values():
            this.most = math.inf


def count_anew() -> None:
    """For what a check looks at next, each part may be called as often again, but not one that has found no end."""
    for this in _plugs.values():
        if this.calls <= this.most:
            this.most = this.calls + MOST_CALLS


def not_asked_for() -> set[str]:
    """The replacements of parts that the running check does not test: the names of these functions."""
    asked = set(_checking[-1] if _checking else _plugs)
    return {name.rpartition(".")[2] for name in _plugs.keys() - asked}


def plug(name: str, written: Any) -> None:
    """Replace part `name` by `written` everywhere in the engine. A second plug replaces the first."""
    plug_all({name: written})


def plug_all(written: Mapping[str, Any]) -> None:
    """Plug many parts in one search through the engine."""
    for name, part in written.items():
        check_signature(name, original(name), part)
    fresh = {name: _Plug(original(name), part) for name, part in written.items() if name not in _plugs}
    for name, this in fresh.items():
        this.wrapper = _wrap(name, this)
    if fresh:
        replace_everywhere(ENGINE, [(this.original, this.wrapper) for this in fresh.values()])
        _plugs.update(fresh)
    for name, part in written.items():
        _plugs[name].target = part
        reset(name)


def unplug(name: str | None = None) -> None:
    """Give the engine its own part back (all of them without a name)."""
    _unplug_all([name] if name else list(_plugs))


def _unplug_all(names: list[str]) -> None:
    taken = [_plugs.pop(name) for name in names if name in _plugs]
    if taken:
        replace_everywhere(ENGINE, [(this.wrapper, this.original) for this in taken])


@contextmanager
def plugged_in(written: Mapping[str, Any]) -> Iterator[None]:
    """Plug these parts for the length of a `with` block, then restore what was there before, counts included.

    Where a learner's functions call each other by name they find these, too.
    """
    before = {name: dict(vars(_plugs[name])) if name in _plugs else None for name in written}
    callers, mine = list(plugged().values()), {id(old): written[name] for name, old in _learners() if name in written}
    try:
        plug_all(written)
        with instead(mine, callers):
            yield
    finally:
        _unplug_all([name for name, state in before.items() if state is None])
        for name, state in before.items():
            if state is not None:
                vars(_plugs[name]).update(state)


def engines_own(names: Iterable[str]) -> AbstractContextManager[None]:
    """The engine's own in place of these plugged parts, also where the learner's functions call them by name."""
    return plugged_in({name: original(name) for name in names})


@contextmanager
def engine_of_its_own() -> Iterator[None]:
    """Nothing plugged for the length of a `with` block: for who takes functions out of the engine to keep them."""
    taken = dict(_plugs)
    _plugs.clear()
    replace_everywhere(ENGINE, [(this.wrapper, this.original) for this in taken.values()])
    try:
        yield
    finally:
        replace_everywhere(ENGINE, [(this.original, this.wrapper) for this in taken.values()])
        _plugs.update(taken)


def plugged() -> dict[str, Any]:
    """The parts that replace the engine's now: name -> the learner's function or class."""
    return {name: this.target for name, this in _plugs.items()}


def _learners() -> list[tuple[str, Any]]:
    """The plugged parts that are not the engine's own."""
    return [(name, this.target) for name, this in _plugs.items() if this.target is not this.original]


def calls(name: str) -> int:
    """How often the plugged part has been called (a class: instantiated); 0 when none is plugged."""
    return _plugs[name].calls if name in _plugs else 0


def counted() -> list[str]:
    """The plugged parts of which every call is counted. One that is not written may be called by name, past the count."""
    return [name for name, this in _plugs.items() if not is_stub(this.target)]


def unwritten(name: str) -> bool:
    """Whether the plugged part has raised NotImplementedError since the last reset."""
    return name in _plugs and _plugs[name].unwritten


def returned(name: str) -> Returned:
    """What the plugged part has returned in checks since the last reset."""
    return _plugs[name].returned if name in _plugs else Returned()


def reset(name: str | None = None) -> None:
    """Start counting from nought."""
    for each in [name] if name else _plugs:
        if each in _plugs:
            _plugs[each].calls, _plugs[each].unwritten, _plugs[each].returned = 0, False, Returned()


def get_ready() -> None:
    """Find out where the engine holds what, so that plugging a part takes no search: once, before processes fork."""
    index(ENGINE)


# ── The engine's own parts ───────────────────────────────────────────────────────────────────────


def original(name: str) -> Any:
    """The engine's own function or class of that name, whatever is plugged now."""
    return _plugs[name].original if name in _plugs else _look_up(name)


def source(name: str) -> str:
    """The source text of the engine's own implementation."""
    return textwrap.dedent(inspect.getsource(original(name)))


def names() -> list[str]:
    """Every name that `implements` accepts: the engine's functions and classes, and its classes' methods."""
    found: set[str] = set()
    for each in pkgutil.walk_packages(importlib.import_module(ENGINE).__path__, f"{ENGINE}."):
        if not each.name.endswith("__main__"):  # which, imported, would run
            importlib.import_module(each.name)
    for module in engine_modules(ENGINE):
        for key, value in vars(module).items():
            if _lives_in(module, key, value) and not key.startswith("_"):
                found |= {f"{module.__name__}.{key}"} if callable(value) else set()
                inside = vars(value).items() if isinstance(value, type) else ()
                found |= {f"{module.__name__}.{key}.{each}" for each, raw in inside if inspect.isfunction(_bare(raw))}
    return sorted(found)


def _lives_in(module: types.ModuleType, key: str, value: Any) -> bool:
    """Whether a name belongs to a module: defined there, or a class that a package offers as its own."""
    home = _home(value)
    offered = isinstance(value, type) and key in getattr(module, "__all__", ()) and module.__name__ != ENGINE
    return home == module.__name__ or (offered and str(home).startswith(f"{module.__name__}."))


def _home(value: Any) -> Any:
    """The module where something is defined: of a class that is shown under the package's name, where its methods are."""
    home = getattr(value, "__module__", None)
    inside = vars(value).values() if home == ENGINE and isinstance(value, type) else ()
    return next((each.__module__ for each in inside if inspect.isfunction(each)), home)


def _look_up(name: str) -> Any:
    """The function or class at a dotted name, out of its property or staticmethod."""
    module, *rest = _longest_module(name)
    found: Any = module
    for each in rest:
        found = inspect.getattr_static(found, each, None) if isinstance(found, type | types.ModuleType) else None
    found = _bare(found)
    imported = len(rest) == 1 and _home(found) != module.__name__
    if imported or not (inspect.isfunction(found) or isinstance(found, type)):
        raise UnknownName(text("kind_part"), name, names())
    return found


def _longest_module(name: str) -> list[Any]:
    """[the module at the head of a dotted name, then the names that are left]"""
    path = str(name).split(".")
    for cut in range(len(path) - 1, 0, -1) if path[0] == ENGINE else ():
        head = ".".join(path[:cut])
        try:
            return [importlib.import_module(head), *path[cut:]]
        except ModuleNotFoundError as missing:
            if missing.name is None or not head.startswith(missing.name):
                raise
    raise UnknownName(text("kind_part"), name, names())


def _bare(value: Any) -> Any:
    """What a property, staticmethod, classmethod or decorator wraps; anything else as it is."""
    if isinstance(value, property):
        return value.fget
    if isinstance(value, staticmethod | classmethod):
        return value.__func__
    return inspect.unwrap(value) if inspect.isfunction(value) else value


# ── Plugging ─────────────────────────────────────────────────────────────────────────────────────


def _wrap(name: str, this: _Plug) -> Callable[..., Any]:
    """The counting wrapper. It asks for its target at every call, so a new plug needs no new search."""

    @functools.wraps(this.original, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        this.calls += 1
        if this.calls > this.most:
            raise RuntimeError(f"{this.original.__name__} has been called {MOST_CALLS} times: there is no end to it")
        asked = bool(_checking) and name in _checking[-1]
        if not asked and isinstance(this.target, type) and is_stub(this.target):
            return this.original(*args, **kwargs)
        try:
            result = this.target(*args, **kwargs)
        except NotImplementedError as raised:
            if not _raised_by_itself(raised):
                raise  # something it called, another part perhaps, is not written
            this.unwritten = True
            if not asked:
                return this.original(*args, **kwargs)
            raise NotWritten(text("part_not_written", part=name), remedy=write_it(name)) from raised
        if _checking:  # nobody asks otherwise, and training makes many calls
            this.returned.note(result, args, kwargs)
        return result

    return wrapper


def _raised_by_itself(error: BaseException) -> bool:
    """Whether an error caught around a call comes from the called function's own lines."""
    called = error.__traceback__ and error.__traceback__.tb_next
    return called is not None and called.tb_next is None


def not_written(error: BaseException) -> bool:
    """Whether an error says that a part is not written, not that the engine has no such operation for these dtypes."""
    if not isinstance(error, NotImplementedError):
        return False
    # As Python keeps them: the class may be a learner's own, and none of its code is to run here.
    said = [each for each in vars(BaseException)["args"].__get__(error) if type(each) is str]
    if isinstance(error, NotWritten) or any(YOURS in each for each in said):
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    home = trace and trace.tb_frame.f_globals.get("__name__")
    return type(home) is not str or not home.startswith(f"{ENGINE}.")


def write_it(name: str) -> Text:
    """What to do about a part that is not written."""
    short, kind = name.rpartition(".")[2], "class" if isinstance(original(name), type) else "def"
    return text("write_it", short=short, kind=kind)
