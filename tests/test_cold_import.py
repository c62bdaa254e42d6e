"""What `import minigrad` loads, and that what it leaves for later is there at the first use, however that comes about.

Every case runs in a process that has imported minigrad and used nothing of it yet.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from project_files import ROOT

import minigrad
from autograder import parts
from minigrad import ops
from minigrad.ops import lazy
from minigrad.ops.absent import ABSENT

# Forks a fresh child for every program; prints what went wrong in each, by name.
DRIVER = """
import json, os, sys, traceback
import minigrad
sys.pycache_prefix, sys.dont_write_bytecode = sys.argv[1], False  # what one child has compiled serves the others
programs, said = json.loads(sys.stdin.read()), {}
for name, program in programs.items():
    ours, theirs = os.pipe()
    if os.fork() == 0:
        try:
            exec(compile(program, name, "exec"), {"minigrad": minigrad, "Tensor": minigrad.Tensor})
            os.write(theirs, b"fine")
        except BaseException:
            os.write(theirs, traceback.format_exc()[-3000:].encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        said[name] = pipe.read()
    os.wait()
print(json.dumps(said))
"""

X = "x = minigrad.Tensor([1.0, 2.0])\n"
FIRST_USES = {
    "an operator": X + "assert (x * x).tolist() == [1, 4]",
    "a reflected one": X + "assert (3 - x).tolist() == [2, 1]",
    "one in place": X + "y = x\nx += 1\nassert x is y and y.tolist() == [2, 3]",
    "a comparison": X + "assert (x == x).tolist() == [True, True] and hash(x) == id(x)",
    "an index": X + "assert x[1].item() == 2",
    "iteration": X + "assert [each.item() for each in x] == [1, 2]",
    "membership": X + "assert 2 in x and 3 not in x",
    "a method": X + "assert x.exp().shape == (2,)",
    "a method in place": X + "assert x.neg_() is x and x.tolist() == [-1, -2]",
    "a property": "assert minigrad.Tensor([[1.0, 2.0]]).T.shape == (2, 1)",
    "a property that is assigned to": X
    + "try:\n    x.T = 3\nexcept AttributeError:\n    pass\nelse:\n    raise AssertionError",
    "an alias": X + "assert (-x).absolute().tolist() == x.tolist() and minigrad.absolute.__name__ == 'absolute'",
    "a function": X + "assert minigrad.exp(x).shape == (2,) and 'exp' in vars(minigrad)",
    "a function with the name of a module": "assert minigrad.tensor([1.0]).shape == (1,)",
    "a module": "assert Tensor.__mul__ is minigrad.ops.pointwise.mul_op",
    "a random one": X + "assert x.uniform_(3, 4).min() >= 3 and minigrad.rand(2).shape == (2,)",
    "hasattr": "assert hasattr(Tensor, 'cumsum') and not hasattr(Tensor, 'cumsun')",
    "a signature": "import inspect\nassert list(inspect.signature(Tensor.clamp).parameters) == ['input', 'min', 'max']",
    "a subclass that asks its parent": """
class Loud(Tensor):
    def __mul__(self, other):
        return super().__mul__(other)
    def exp(self):
        return super().exp()
x = Loud([0.0])
assert (x * x).item() == 0 and x.exp().item() == 1
""",
    "a copy": "import copy\n" + X + "assert copy.deepcopy(x).tolist() == copy.copy(x).tolist() == [1, 2]",
    "pickle": "import pickle\n" + X + "assert pickle.loads(pickle.dumps(x)).tolist() == [1, 2]",
    "the gradient of a product": X + "x.requires_grad_()\n(x * x).sum().backward()\nassert x.grad.tolist() == [2, 4]",
    "a gradient's gradient": X
    + """
x.requires_grad_()
(g,) = minigrad.autograd.grad(x.tanh().sum(), x, create_graph=True)
assert g.grad_fn.name() == "TanhBackwardBackward0"
""",
    "everything": """
space = {}
exec("from minigrad import *", space)
assert space["tensor"]([2.0]).item() == 2 and space["einsum"] is minigrad.einsum and space["Generator"] is minigrad.Generator
assert "ops" not in space and "Any" not in space
""",
    "a wrong name": """
F, optim = minigrad.nn.functional, minigrad.optim
for owner, wrong, meant in (
    (minigrad, "tanhh", "tanh"), (minigrad, "Genrator", "Generator"),
    (F, "convv2d", "conv2d"), (minigrad.nn, "Liner", "Linear"), (minigrad.nn.init, "unifrom_", "uniform_"),
    (optim, "Adamm", "Adam"), (optim.lr_scheduler, "StepLr", "StepLR"), (minigrad.autograd, "gradchek", "gradcheck"),
    (minigrad.autograd.functional, "hessain", "hessian"), (minigrad.autograd.graph, "Nodes", "Node"),
    (minigrad.cuda, "is_availible", "is_available"), (minigrad.nn.utils, "clip_grad_nor_", "clip_grad_norm_"),
):
    assert not hasattr(owner, wrong) and not hasattr(owner, "__" + wrong)
    try:
        getattr(owner, wrong)
    except AttributeError as error:
        assert str(error).endswith(f". Did you mean: '{meant}'? All names: docs/api.md"), error
""",
    "a name that only torch has": """
F, optim = minigrad.nn.functional, minigrad.optim
for owner, name in (minigrad, "fft"), (minigrad.linalg, "lstsq"), (minigrad.nn, "CTCLoss"), (F, "ctc_loss"), (optim, "Muon"):
    assert not hasattr(owner, name)
    try:
        getattr(owner, name)
    except AttributeError as error:
        assert str(error).endswith(f"'{name}'. torch has it, minigrad does not. All names: docs/api.md"), error
""",
    "what Tab offers": """
import sys
before = {*sys.modules}
modules = [minigrad, minigrad.autograd, minigrad.autograd.graph, minigrad.ops]
listed = [dir(module) for module in modules]
assert {*sys.modules} == before
assert {"saved_tensors_hooks", "get_gradient_edge", "Node"} <= set(listed[2])
for module, names in zip(modules, listed):
    assert names == sorted(names) and all(hasattr(module, name) for name in names)
""",
    "a method that only torch has": X
    + """
class Own(Tensor):
    def lstsq(self): return 5
for owner in (x, minigrad.nn.Parameter(x)):
    assert not hasattr(owner, "heaviside") and "heaviside" not in dir(owner) and "erf" in dir(owner)
    try:
        owner.heaviside()
    except AttributeError as error:
        assert str(error).endswith("has no attribute 'heaviside'. torch has it, minigrad does not. All names: docs/api.md"), error
x.name = "weight"
assert x.name == "weight" and "name" in dir(x)
mine = Own(3)
assert mine.lstsq() == 5 and "lstsq" in dir(mine)
""",
    "what a user has put there": """
mine = lambda self: 7
Tensor.exp = mine
minigrad.cos = mine
x = Tensor([0.0])
assert x.cos().item() == 1 and minigrad.exp(x).item() == 1
assert Tensor.exp is mine and x.exp() == 7 and minigrad.cos is mine
""",
    "threads at once": """
import sys, threading
sys.setswitchinterval(1e-6)
start, found = threading.Barrier(8), []
def ask():
    start.wait()
    found.append((Tensor.exp, Tensor.__mul__, Tensor.exp_, minigrad.exp, minigrad.Tensor([1.0]).exp().item() > 2))
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and len(set(found)) == 1, found
""",
    "no warning": "import warnings\nwarnings.simplefilter('error')\nminigrad.ops.load_all()",
    "a part": """
from autograder import parts
x = minigrad.Tensor([2.0, 3.0]).requires_grad_()
two = minigrad.Tensor([2.0, 2.0])
parts.plug("minigrad.ops.pointwise.mul_vjp_self", lambda grad, other: 10 * grad * other)
for product in (lambda: x * two, lambda: x.mul(two), lambda: minigrad.multiply(x, two)):
    x.grad = None
    product().sum().backward()
    assert x.grad.tolist() == [20, 20]
parts.unplug()
x.grad = None
minigrad.mul(x, two).sum().backward()
assert x.grad.tolist() == [2, 2]
""",
    "a module that is loaded when a part is plugged": """
import sys
from autograder import parts
own = minigrad.ops.nn.softmax_vjp
parts.plug("minigrad.ops.nn.softmax_vjp", lambda grad, result, dim: grad)
assert "minigrad.ops.attention" not in sys.modules
from minigrad.ops import attention
assert attention.softmax_vjp is minigrad.ops.nn.softmax_vjp is not own
parts.unplug()
assert attention.softmax_vjp is minigrad.ops.nn.softmax_vjp is own
""",
}
FIRST_USES |= {f"module {module}": f"minigrad.ops.load({module!r})" for module in ops.TABLE}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What went wrong in each of FIRST_USES: "fine" where nothing did."""
    command = [sys.executable, "-W", "error", "-c", DRIVER, str(tmp_path_factory.mktemp("compiled"))]
    found = subprocess.run(command, cwd=ROOT, input=json.dumps(FIRST_USES), capture_output=True, text=True)
    assert found.returncode == 0 and found.stderr == "", found.stderr
    return json.loads(found.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST_USES)
def test_the_first_use_finds_what_was_left_for_later(name, said):
    assert said[name] == "fine"


def test_importing_loads_no_operation():
    program = "import numpy, sys; before = {*sys.modules}; import minigrad; print(*sorted({*sys.modules} - before))"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = found.stdout.split()
    ours = [name for name in loaded if name.split(".")[0] == "minigrad"]
    assert [name for name in ours if name.startswith("minigrad.ops.")] == ["minigrad.ops.absent", "minigrad.ops.lazy"]
    assert {"minigrad.random", "minigrad.nn", "minigrad.printing", "minigrad.creation"}.isdisjoint(ours)
    assert len(ours) <= 24, "one more module is one more to read for everybody: is it needed before anything is used?"
    assert len(loaded) - len(ours) <= 6, loaded  # of Python's own


def test_the_table_says_where_every_operation_is():
    names = []
    for module, name, function, kind, in_place in ops.entries():
        home = sys.modules[f"minigrad{module}" if module[0] == "." else f"minigrad.ops.{module}"]
        for each in filter(None, (function, in_place)):
            # What `unary` and `binary` make has the code, and so the module, of define.py.
            assert vars(home)[each].__module__ in (home.__name__, "minigrad.ops.define"), (module, each)
        names += [(name, form) for form in ((".", "()") if kind == "" else (kind,))]
    assert len(names) == len(set(names))
    assert set(ops.ALIASES.values()) <= {name for name, _ in names}


def test_once_loaded_nothing_stands_between_a_call_and_its_operation():
    ops.load_all()
    assert [name for name, value in vars(minigrad.Tensor).items() if isinstance(value, lazy.Lazy)] == []
    for name, (module, function, finish) in lazy.METHODS.items():
        if finish is lazy.unchanged:
            home = sys.modules[f"minigrad.ops.{module}"]
            assert vars(minigrad.Tensor)[name] is vars(home)[function]


def test_what_is_public_is_listed_and_there():
    assert len(set(minigrad.__all__)) == len(minigrad.__all__)
    assert set(minigrad.__all__) <= set(dir(minigrad))
    assert all(hasattr(minigrad, name) for name in minigrad.__all__)
    assert inspect.signature(minigrad.tanh)  # and is a real function
    assert "minigrad.ops.unary.atan_vjp" in parts.names()


def test_whatever_can_be_had_of_a_module_is_listed():
    torch = pytest.importorskip("torch")
    from tools.torch_only import modules_of_both

    found = list(modules_of_both(minigrad, torch))
    assert {"minigrad.autograd.graph", "minigrad.nn.functional", "minigrad.optim.lr_scheduler"} <= {f[0] for f in found}
    for path, ours, theirs in found:
        names = {*vars(theirs), *getattr(ours, "__all__", ())}
        hidden = [n for n in names if not n.startswith("_") and hasattr(ours, n) and n not in dir(ours)]
        assert hidden == [], path


@pytest.mark.slow
def test_names_that_only_torch_has_are_known():
    """Asked in a fresh process: torch's modules have more names once something has imported more of torch."""
    pytest.importorskip("torch")
    child = subprocess.run([sys.executable, "tools/torch_only.py", "--check"], cwd=ROOT)
    assert child.returncode == 0, "run: make generate"


def test_methods_that_only_torch_has_are_named():
    pytest.importorskip("torch")
    from tools.torch_only import of_tensors

    assert set(of_tensors()) == ABSENT, "run: make generate"
