"""save and load: tensors, and dicts and lists of them, in a file, by pickle (torch.save, torch.load).

The files are this engine's own; weights go over from torch by load_state_dict, which takes torch's tensors.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
from collections.abc import Iterator
from typing import Any

from . import cuda
from .backend import array_module, numpy, to_device, to_host
from .dtypes import BY_NUMPY
from .size import device

# What a file may name that is loaded as weights only: data, and nothing that could run. Each name is listed: a module let
# in as a whole would bring all that it imports, for pickle follows dots ("numpy.f2py.os.system").
HARMLESS = {
    "collections": {"OrderedDict", "defaultdict", "Counter", "deque"},
    "builtins": {"set", "frozenset", "complex", "slice", "bytearray"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "minigrad.ops.protocols": {"rebuilt"},
    "minigrad.serialization": {"on_gpu"},
    "minigrad": {"Tensor", "Size", "device"},
    "minigrad.tensor": {"Tensor"},  # here and in size they were when older files were written
    "minigrad.nn.parameter": {"Parameter", "Buffer"},
    "minigrad.size": {"Size", "device"},
    "minigrad.dtypes": {dtype.__reduce__() for dtype in BY_NUMPY.values()},
}
NO_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only "
    "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)
REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, do those steps only if you "
    "trust the source of the checkpoint.\n\t(1) Re-running `torch.load` with `weights_only` set to `False` will likely "
    "succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted source.\n\t(2) "
    "Save the state_dict instead of the module.\n\tWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an "
    "allowed global by default."
)


class Pickler(pickle.Pickler):
    """A Pickler that writes what is on a GPU as an array of the host's and the GPU's number."""

    def reducer_override(self, obj: Any) -> Any:
        """How an object is taken apart; NotImplemented for as it takes itself."""
        if not hasattr(obj, "__cuda_array_interface__") or array_module(obj) is numpy:
            return NotImplemented
        return on_gpu, (to_host(obj), obj.device.id)


def on_gpu(array: Any, index: int) -> Any:
    """An array that was on a GPU, there again; RuntimeError, in torch's words, where there is none."""
    if not cuda.is_available():
        raise RuntimeError(NO_CUDA)
    return to_device(array, index)


class Unpickler(pickle.Unpickler):
    """An Unpickler that leaves what was on a GPU on the host, if it is told to."""

    def __init__(self, file: Any, on_host: bool, **arguments: Any) -> None:
        super().__init__(file, **arguments)
        self.on_host = on_host

    def find_class(self, module: str, name: str) -> Any:
        """What a file names."""
        found = super().find_class(module, name)
        return (lambda array, index: array) if found is on_gpu and self.on_host else found


class WeightsUnpickler(Unpickler):
    """An Unpickler that makes tensors and plain data and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """What a file names, if it is harmless; UnpicklingError otherwise."""
        if name not in HARMLESS.get(module, set()):
            raise pickle.UnpicklingError(REFUSED.format(name=f"{module}.{name}"))
        return super().find_class(module, name)


@contextlib.contextmanager
def opened(f: Any, mode: str) -> Iterator[Any]:
    """A path opened as a file; what can be read from or written to as it is."""
    if isinstance(f, str | os.PathLike):
        folder = os.path.dirname(os.fspath(f))
        if mode == "wb" and folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        with open(f, mode) as file:
            yield file
    else:
        yield f


def save(obj: Any, f: Any) -> None:
    """Write an object to a file: a path, or something with write() (torch.save)."""
    written = io.BytesIO()  # whole first, so that what cannot be pickled leaves no half file
    Pickler(written).dump(obj)
    with opened(f, "wb") as file:
        file.write(written.getvalue())


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, **pickle_load_args: Any) -> Any:
    """Read what save() wrote: a path, or something with read() (torch.load).

    map_location: the device for all tensors, otherwise each goes back to where it was; a function or a dict, which say
    where torch's storages go, leave them on the host. weights_only: tensors and plain data only, so that a stranger's file can
    run nothing; pickle.UnpicklingError for anything else. The rest (encoding=…) goes to the unpickler.
    """
    with opened(f, "rb") as file:
        reader = (WeightsUnpickler if weights_only else Unpickler)(file, map_location is not None, **pickle_load_args)
        found = reader.load()
    if map_location is None or callable(map_location) or isinstance(map_location, dict):
        return found
    where = device(map_location)
    if where.type == "cuda" and not cuda.is_available():
        raise RuntimeError(NO_CUDA)
    return moved(found, where)


def moved(found: Any, where: device) -> Any:
    """Every tensor in dicts, lists and tuples on a device."""
    from .tensor import Tensor

    if isinstance(found, Tensor):
        return found if found.device == where else found.to(where)
    if isinstance(found, dict):
        for key, value in found.items():
            found[key] = moved(value, where)
    elif isinstance(found, list | tuple):
        return type(found)([moved(value, where) for value in found])
    return found
