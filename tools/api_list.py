"""Writes docs/api.md, the list of every public name of minigrad with a line on each; --check only compares.

The lines are the first ones of the docstrings, so the list knows nothing that the source does not say.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import minigrad
from minigrad import ops
from minigrad.ops.absent import Absent

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "api.md"

HEAD = """\
# minigrad 的全部名字 · Every name of minigrad

`import minigrad as torch`：下面每个名字的用法都与 torch 相同，测试拿安装的 torch 来核对（`make test ARGS=tests/test_ops.py`）。
已知的不同一行一个，写在 `tests/data/op_differences.txt` 和 `tests/data/graph_differences.txt` 里；测试不许它们变多。
本页由 `tools/api_list.py` 从源码的说明生成，请勿手改。

After `import minigrad as torch`, use every name below as in torch. Tests compare their behaviour with the installed
torch (`make test ARGS=tests/test_ops.py`). The known differences are listed, one per line, in
`tests/data/op_differences.txt` and `tests/data/graph_differences.txt`; a test fails if a new one appears.
`tools/api_list.py` generates this page from the docstrings, so please do not edit it.
"""

# Why the lines of the two files are still there.
REMAINING = """
## 还不同的，为什么 · What still differs, and why

- `broadcast_shapes` 在 torch 里是 Python 写的，参数类型不对时抛出 Python 自己的错误；这里直接说类型不对。<br>
  In torch, `broadcast_shapes` is written in Python, so a wrong argument raises whatever Python raises. Here the error
  names the wrong type.
- `elu`、`celu`、`selu`、`hardtanh`、`relu6` 在 nan 处的梯度，torch 要看那个元素归向量指令算还是归零头算；float32 的
  `gelu(inf)` 在有的处理器上是 nan。随处理器而变的，写在 `op_differences_by_processor.txt` 里。<br>
  Their gradient at nan depends, in torch, on whether a vector instruction or the scalar remainder of the loop computes
  the element; and on some processors `gelu(inf)` of float32 is nan. Such processor-dependent differences are listed in
  `op_differences_by_processor.txt`.
- 单精度加法的次序不同，最后一位也就不同：混用 float32 与 float64 的 `add`、`fill_`、`cross_entropy`、`**=`；
  字节的 `interpolate`。<br>
  Single-precision sums are added in a different order, so the last digit may differ: `add`, `fill_`, `cross_entropy` and
  `**=` with float32 and float64 mixed, and `interpolate` of bytes.
- torch 自己会报错或给出 inf 的：混用类型的 `addr`（向后时），转置后的 `kron`，
  `var(dim=[])` 的梯度；这里照公式算。<br>
  Some calls fail or give inf in torch, and follow the formula here: the backward of `addr` with mixed dtypes; `kron`
  of a transposed tensor; the gradient of `var(dim=[])`.
- 把需要梯度的值写进整数或布尔张量，torch 会让那个整数张量“需要梯度”；这里不会。<br>
  When a value that requires grad is written into an integer or bool tensor, torch makes that tensor require grad; here
  it does not.
- `solve` 收到无穷大的梯度时，哪些元素是 nan，要看两边的 LAPACK 按什么次序消元。<br>
  Where an infinite gradient reaches `solve`, which elements are nan depends on the order in which each engine's LAPACK
  eliminates.
- 奇异矩阵：`slogdet`、`logdet` 的梯度是无穷大和 nan，和 torch 一样；矩阵在内存里是转置的，或者舍入让消元的结果一边是 0、
  一边不是，哪些元素是哪一种就可能不同。<br>
  At a singular matrix, the gradients of `slogdet` and `logdet` are infinite or nan, as in torch. Where the matrix lies
  transposed in memory, or rounding leaves a 0 on one side only, which entries are which may differ.
- `embedding(scale_grad_by_freq=True)` 的二阶导数：torch 忘了除以出现的次数，这里除了。<br>
  The second derivative of `embedding(scale_grad_by_freq=True)`: torch forgets to divide it by how often a row was looked
  up; here it is divided.
- `layer_norm`、训练时的 `batch_norm` 和 `instance_norm` 的三阶导数：torch 的与差商不符，这里的相符；一阶和二阶两边相同
  （`tests/test_third_derivatives.py`）。<br>
  Third derivatives of `layer_norm`, and of `batch_norm` and `instance_norm` in training: torch's disagree with difference
  quotients, and those here agree. First and second ones are the same (`tests/test_third_derivatives.py`).
- `stack` 之后沿着叠的那一维求和：torch 2.13 里几个叶子的 `.grad` 可能是同一块内存，再 `backward()` 一次，
  每个叶子都往那里加，就加多了；这里各有各的。<br>
  After `stack` and a sum along its new dimension, several leaves' `.grad` may be one piece of memory in torch 2.13, and the
  next `backward()` adds to it once for each; here every leaf has its own.
- 空张量或 0 维张量：`addmv`、空核的 `conv`、`index_add`、`x['a']`，先查哪一条不同。<br>
  For empty and 0-d tensors, `addmv`, `conv` with an empty kernel, `index_add` and `x['a']` check their arguments in
  another order, so the error may be another one.
- 图里看得见的：torch 的 `cumprod` 的梯度是原地写成的；布尔下标这里存成位置；`nll_loss` 里不计的行存成第 0 类；
  没给的步长这里显示核的大小；矩阵的 LU 分解这里不留，`bilinear` 里求和的维数也不显示。<br>
  Differences that only the graph shows: torch writes the gradient of `cumprod` in place. Here, boolean masks are saved
  as positions, ignored targets of `nll_loss` as class 0, and a stride that was not given as the kernel size. Matrices are
  saved without their LU factors, and `bilinear` without the dimensions of its sums.
- 操作数的内存次序不同的逐元素运算，梯度的 `stride()` 可能和 torch 的不同（不带 `create_graph` 时），`view` 也就可能报错
  （用 `reshape`）。结果本身、叶子的 `.grad` 都和 torch 一样放。<br>
  Gradients of elementwise operations whose operands lie in memory in different orders may have another `stride()` than
  torch's (without `create_graph`), so that `view` is refused (`reshape` is not). Results themselves, and `.grad` of leaves,
  lie as in torch.
- `optimizer.lr`、`optimizer.params` 在 torch 里没有，这里可以读；自己往里写，和在 torch 里一样，对步长没有影响。<br>
  `optimizer.lr` and `optimizer.params` do not exist in torch. Here they can be read; setting them has no effect, as in torch.
- float16 的 `layer_norm` 和多数梯度在这里一步一步用半精度算；torch 的核用单精度算，最后才舍入一次。末位可能不同，两数相近而相减时
  差得多些（如 softmax 的梯度）。<br>
  In float16, `layer_norm` and most gradients are computed in half precision here, step by step; torch's kernels compute in
  single and round once. The last digit may differ, and more where numbers nearly cancel (in the gradient of softmax, say).
- 没有混合精度：`autocast`、`GradScaler` 只有关着的（torch 在没有 CUDA 的机器上也自己关掉 `"cuda"` 的），真要转换精度就报
  NotImplementedError，请写 `enabled=False`。`torch.compile` 什么也不编译，把模块或函数原样还回来，像 `disable=True`。<br>
  There is no mixed precision: `autocast` and `GradScaler` exist only switched off (as torch itself switches off `"cuda"` on a
  machine without CUDA); what would cast raises NotImplementedError, so say `enabled=False`. `torch.compile` compiles nothing
  and hands back the module or function as it is, as with `disable=True`.
- `python -m minigrad` 运行的程序可以 `import` 一个 torch 有而这里没有的模块（如 `torch.distributed`）；用到其中的名字才报错。
  之后 `hasattr(torch, "distributed")` 就是 True。<br>
  A program run by `python -m minigrad` may import a module that torch has and minigrad lacks (such as `torch.distributed`);
  only a name asked of it is refused. From then on `hasattr(torch, "distributed")` is True.
- `memory_format=torch.channels_last` 到处都收下，不改变内存里的次序；`is_contiguous(memory_format=…)` 照实回答。<br>
  `memory_format=torch.channels_last` is accepted everywhere and does not change the order in memory;
  `is_contiguous(memory_format=…)` answers truthfully.
- `DataLoader(num_workers=…)` 不另开进程：数据集自己抽随机数时，抽到的数不同，`worker_init_fn` 不运行，
  `get_worker_info()` 是 None。<br>
  `DataLoader(num_workers=…)` starts no processes: a dataset that draws random numbers gets others, `worker_init_fn` never
  runs, and `get_worker_info()` is None.
- `Tensor` 的子类可以造，运算的结果却是普通的 `Tensor`；`__torch_function__` 没有人调用。<br>
  Subclasses of `Tensor` can be made, but results of operations are plain Tensors, and nothing calls `__torch_function__`.
- `sort`、`argsort` 遇到相等的元素：torch 从 17 个元素起不保次序，除非写 `stable=True`；这里总是保的。<br>
  Equal elements in `sort` and `argsort`: from 17 elements on, torch keeps their order only with `stable=True`; here it is
  always kept.
- 一起 `save` 的张量和它的视图，读回来在 torch 里还共享内存，在这里不再共享。<br>
  A tensor and its view that are saved together still share storage in torch when they are loaded, and no longer do here.
- `vmap` 在这里是一个循环，函数对每一片各运行一次；torch 只运行一次，每个运算另有一条处理整批的规则。所以这里可以写 `if` 和
  `.item()`，而打印、往外面的张量里写，都是每片做一次；图里看到的是 `unbind` 和 `stack`。用 `randomness="different"` 一次抽 16 个
  以上的正态数时，抽到的数不同。<br>
  `vmap` is a loop here, which runs the function once per slice; torch runs it once, with a batching rule for every
  operation. So `if` and `.item()` work here, but printing, and writing into outer tensors, happen once per slice. The graph
  shows `unbind` and `stack`. With `randomness="different"`, 16 or more normal numbers drawn at once are not torch's.
"""

# heading, module or class, the prefix under which its names are shown
SECTIONS = (
    ("函数与类型 · Functions and types", "minigrad", "torch."),
    ("张量的方法与属性 · Methods and attributes of Tensor", "minigrad:Tensor", "Tensor."),
    ("线性代数 · Linear algebra", "minigrad.linalg", "torch.linalg."),
    ("自动求导 · Autograd", "minigrad.autograd", "torch.autograd."),
    ("函数的导数 · Derivatives of functions", "minigrad.func", "torch.func."),
    ("数据 · Data", "minigrad.utils.data", "torch.utils.data."),
    ("检查点 · Checkpoints", "minigrad.utils.checkpoint", "torch.utils.checkpoint."),
    ("神经网络模块 · Modules", "minigrad.nn", "torch.nn."),
    ("神经网络函数 · Functions of nn", "minigrad.nn.functional", "torch.nn.functional."),
    ("初始化 · Initialisation", "minigrad.nn.init", "torch.nn.init."),
    ("混合精度，关着的 · Mixed precision, switched off", "minigrad.amp", "torch.amp."),
    ("优化器 · Optimizers", "minigrad.optim", "torch.optim."),
    ("学习率 · Learning rates", "minigrad.optim.lr_scheduler", "torch.optim.lr_scheduler."),
    ("平均的权重 · Averaged weights", "minigrad.optim.swa_utils", "torch.optim.swa_utils."),
    ("分布 · Distributions", "minigrad.distributions", "torch.distributions."),
    ("比较 · Comparing", "minigrad.testing", "torch.testing."),
    ("画图 · Drawing (minigrad only)", "minigrad.viz", "minigrad.viz."),
)
CONSTANTS = {"e": "2.718…", "inf": "∞", "nan": "Not a number.", "pi": "3.141…", "newaxis": "None, as an index."}
FACTS = {
    "is_cpu": "Whether the tensor is in host memory.", "is_cuda": "Whether the tensor is on a GPU.",
    "is_meta": "False: there are no meta tensors here.",
    "is_quantized": "False: there are no quantized tensors here.", "is_sparse": "False: all tensors are dense.",
    "itemsize": "Bytes per element.", "nbytes": "Bytes of all elements.", "real": "The tensor itself: nothing is complex.",
    "grad": "The gradient collected so far.",
}  # fmt: skip
# What rules call on Tensors among themselves, and the machinery of the engine.
INTERNAL = {
    "copied", "stack_all", "concatenate_all", "scatter_index", "to_numpy_dtype", "add_array_", "bump_version",
    "counter", "want_gradient", "storage",
}  # fmt: skip


def owner(where: str) -> Any:
    """The module or class that a section lists."""
    module, _, name = where.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


def public(where: str) -> Iterator[tuple[str, Any]]:
    """The names of a section, and their values."""
    found = owner(where)
    listed = getattr(found, "__all__", None)
    for name in sorted(listed or dir(found), key=str.lower):
        value = getattr(found, name) if inspect.ismodule(found) else inspect.getattr_static(found, name)
        if name.startswith("_") or name in INTERNAL or inspect.ismodule(value) or isinstance(value, Absent):
            continue
        if listed is None and isinstance(found, type(ops)) and not ours(name, value, found.__name__):
            continue
        yield name, value


def ours(name: str, value: Any, module: str) -> bool:
    """Whether a module without __all__ means a name of its for users: what is defined here or below."""
    if module == "minigrad" and name in CONSTANTS:
        return True
    if isinstance(value, minigrad.dtype):
        return module == "minigrad"
    home = getattr(value, "__module__", None) or ""
    if module == "minigrad":
        return callable(value) and home.startswith("minigrad")
    return callable(value) and (home == module or home.startswith(module + "."))


def line(name: str, value: Any) -> str:
    """What a name is, in one line."""
    if name in CONSTANTS and not callable(value):
        return CONSTANTS[name]
    if isinstance(value, minigrad.dtype):
        return f"The element type {value.name}."
    if isinstance(value, property):
        value = value.fget
    text = inspect.getdoc(getattr(value, "__wrapped__", value) if name.endswith("_") else value) or ""
    original = getattr(value, "__wrapped__", None)
    while not text and original is not None:
        text, original = inspect.getdoc(original) or "", getattr(original, "__wrapped__", None)
    first = re.split(r"\n\s*\n", text.strip())[0].replace("\n", " ")
    first = re.sub(r"\s*\(torch\.[\w.]+(, [^)]*)?\)", "", first)
    return (first or described(name)).replace("|", "\\|")


def described(name: str) -> str:
    """A line for what has no docstring: aliases, slots."""
    base = name.rstrip("_")
    if base in ops.ALIASES:
        return f"`{ops.ALIASES[base]}{'_' * (name != base)}` under another name."
    return FACTS[name]


def documented(name: str, value: Any) -> str:
    """The line of a name, with what kind of variant it is."""
    base = name.rstrip("_")
    if base in ops.ALIASES:
        return f"`{ops.ALIASES[base]}{'_' * (name != base)}` under another name."
    if name != base and base in {entry for _, entry, _, _, in_place in ops.entries() if in_place}:
        return f"`{base}`, in place."
    return line(name, value)


def page() -> str:
    """The whole list."""
    ops.load_all()
    parts = [HEAD, REMAINING]
    for heading, where, prefix in SECTIONS:
        rows = [f"| `{prefix}{name}` | {documented(name, value)} |" for name, value in public(where)]
        parts.append(f"\n## {heading}\n\n| 名字 · Name | 说明 · What it is |\n| --- | --- |\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    current = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main())
