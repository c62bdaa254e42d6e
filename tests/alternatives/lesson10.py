"""Other right ways to write lesson 10's parts."""

import functools
import inspect
from dataclasses import dataclass

from alternatives import alternative
from minigrad import no_grad
from minigrad.autograd.grad_mode import Decorating, is_grad_enabled, set_grad_enabled, set_recording
from minigrad.autograd.graph import modified_message

NO_GRAD = "minigrad.autograd.grad_mode.no_grad"
CHECK_VERSION = "minigrad.autograd.graph.check_version"
STEP = "minigrad.optim.SGD.step"


@alternative(NO_GRAD)
class OneAttribute(Decorating):
    """Remembers a single state; enough where every block makes an object of its own."""

    def __enter__(self):
        self.recorded = is_grad_enabled()
        set_recording(False)

    def __exit__(self, kind, error, trace):
        set_recording(self.recorded)
        return False


@alternative(NO_GRAD)
class OnItsOwn:
    """Inherits nothing and decorates by itself."""

    def __init__(self, function=None):
        self.states = []

    def __enter__(self):
        self.states += [is_grad_enabled()]
        set_grad_enabled(False)

    def __exit__(self, *error):
        set_grad_enabled(self.states.pop())

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def steps(*args, **kwargs):
                generator = function(*args, **kwargs)
                while True:
                    with OnItsOwn():
                        value = next(generator, self)
                    if value is self:
                        return
                    yield value

            return steps

        @functools.wraps(function)
        def call(*args, **kwargs):
            with OnItsOwn():
                return function(*args, **kwargs)

        return call


@alternative(CHECK_VERSION)
def by_early_return(saved, expected, source=""):
    if saved._version == expected:
        return
    raise RuntimeError(modified_message(saved, saved._version, expected, source))


@alternative(CHECK_VERSION)
def by_the_counter(saved, expected, source=""):
    now = saved._counter.version if saved._counter else 0
    if now > expected:
        raise RuntimeError(modified_message(saved, now, expected, source))


@alternative(STEP)
def by_sub(self):
    with set_grad_enabled(False):
        for p in filter(lambda p: p.grad is not None, self.params):
            p.sub_(p.grad * self.lr)


@alternative(STEP)
def by_copy(self):
    before = is_grad_enabled()
    set_recording(False)
    try:
        for p in self.params:
            if p.grad is None:
                continue
            p.copy_(p - self.lr * p.grad)
    finally:
        set_recording(before)


@alternative(STEP)
def by_detach(self):
    for p in self.params:
        if p.grad is not None:
            p.detach().add_(-self.lr * p.grad)


@alternative(NO_GRAD)
@dataclass
class WithoutAnInit(Decorating):
    """__init__ is Python's."""

    before: bool = False

    def __enter__(self):
        self.before = set_recording(False)

    def __exit__(self, *exception):
        set_recording(self.before)


@alternative(STEP)
@no_grad()
def decorated(self):
    """As torch's own: the whole function under no_grad."""
    for p in self.params:
        if p.grad is not None:
            p.add_(p.grad, alpha=-self.lr)
