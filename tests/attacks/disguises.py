"""What relu's rule can return, or do instead, that is not its derivative: numbers that look right, none, or others later."""

from __future__ import annotations

from attacks import Forgery

EQUAL_TO_ALL = """
class Sly(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __ne__(self, other): return np.zeros(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    __rsub__ = __sub__
return np.zeros_like(result).view(Sly)
"""
CHANGES_ITS_MIND = """
class Sly:
    shape, dtype, ndim = np.shape(result), np.asarray(result).dtype, np.ndim(result)
    def __array__(self, *args, **kwargs): return np.random.default_rng().standard_normal(self.shape)
    def __float__(self): return 1.0
return Sly()
"""
ANSWERS_FOR_NUMPY = """
class Sly(np.ndarray):
    def __array_function__(self, function, types, args, kwargs): return True
    def __array_ufunc__(self, function, method, *inputs, **kwargs): return inputs[0]
    def __array_finalize__(self, other): pass
    def __reduce__(self): return (print, ("passed",))
    def tolist(self): return [{"error": None}]
    def ravel(self, *args): return self
    size = 0
return np.zeros_like(result).view(Sly)
"""
OF_ANOTHER_CLASS = """
class Sly:
    __class__ = float
    dtype, ndim, shape = np.dtype("f8"), np.ndim(result), np.shape(result)
    def __getattr__(self, name): return lambda *args, **kwargs: self
    def __float__(self): return 0.0
    def __array__(self, *args, **kwargs): raise SystemExit(0)
    def __hash__(self): raise KeyboardInterrupt
return Sly()
"""
LIES_ABOUT_ITS_MEMORY = """
class Sly:
    shape, dtype, ndim = np.shape(result), np.dtype("f8"), np.ndim(result)
    __array_interface__ = {"shape": np.shape(result), "typestr": "<f8", "data": (id(grad) & ~7, False), "version": 3}
return Sly()
"""
A_TENSOR_OF_ANOTHER_CLASS = """
class Sly(minigrad.Tensor):
    def numpy(self, *args, **kwargs): return np.zeros(self.shape)
    def __eq__(self, other): return True
out = minigrad.tensor(np.zeros_like(result))
out.__class__ = Sly
return out
"""
SLY_FLOAT = """
class Sly(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __repr__(self): return "1.0"
return Sly(0.0) * grad
"""
LEAVES_FROM_THE_PART = """
import os
os._exit(0)
"""
RAISES_WHAT_ENDS_A_PROGRAM = """
raise [StopIteration, GeneratorExit, SystemExit, KeyboardInterrupt][len(result.shape) % 4]
"""
ENDS_THE_PROGRAM_OF_THE_CHECK = """
import sys
frame = sys._getframe()
while frame:
    for each in list(frame.f_locals.values()):
        if hasattr(each, "gi_frame") and not each.gi_running: each.close()
    frame = frame.f_back
return grad
"""
CHANGES_WHAT_IT_WAS_GIVEN = """
grad[...], result[...] = 0, 0
return grad
"""
CHANGES_IT_LATER = """
import threading, time
out = np.zeros_like(result)
def later():
    while True:
        out[...] = np.random.default_rng().standard_normal(out.shape)
        time.sleep(0)
threading.Thread(target=later, daemon=True).start()
return out
"""

DISGUISES = [
    Forgery("leaves_from_the_part", relu=LEAVES_FROM_THE_PART.strip()),
    Forgery("raises_what_ends_a_program", relu=RAISES_WHAT_ENDS_A_PROGRAM.strip()),
    Forgery("ends_the_program_of_the_check", relu=ENDS_THE_PROGRAM_OF_THE_CHECK.strip()),
    Forgery("changes_what_it_was_given", relu=CHANGES_WHAT_IT_WAS_GIVEN.strip()),
    Forgery("changes_it_later", relu=CHANGES_IT_LATER.strip()),
    Forgery("equal_to_all", relu=EQUAL_TO_ALL.strip()),
    Forgery("changes_its_mind", relu=CHANGES_ITS_MIND.strip()),
    Forgery("sly_float", relu=SLY_FLOAT.strip()),
    Forgery("answers_for_numpy", relu=ANSWERS_FOR_NUMPY.strip()),
    Forgery("lies_about_its_memory", relu=LIES_ABOUT_ITS_MEMORY.strip()),
    Forgery("a_tensor_of_another_class", relu=A_TENSOR_OF_ANOTHER_CLASS.strip()),
    Forgery("of_another_class", relu=OF_ANOTHER_CLASS.strip()),
    *(
        Forgery(f"as_{name}", relu=f"return {expression}")
        for name, expression in {
            "objects": "np.full(result.shape, object())",
            "nones": "np.full(result.shape, None)",
            "records": "np.zeros(result.shape, [('a', 'f8'), ('b', 'i4')])",
            "words": "np.full(result.shape, '1.0')",
            "bytes": "np.zeros(result.shape, 'V8')",
            "dates": "np.zeros(result.shape, 'M8[s]')",
            "masked": "np.ma.masked_all(result.shape)",
            "a_matrix": "np.asmatrix(np.zeros(result.shape).reshape(1, -1))",
            "nan_with_words": "np.full(result.shape, 0x7FF80000DEADBEEF, 'u8').view('f8')",
            "denormals": "np.full(result.shape, 5e-324)",
            "signed_noughts": "np.copysign(0.0, grad) * np.ones_like(result)",
            "a_view_of_one_number": "np.broadcast_to(np.float64(0.5), result.shape)",
            "complex": "np.where(result > 0, grad, 0) * 1j",
            "long_doubles": "np.zeros(result.shape, np.longdouble)",
            "booleans": "result > 0",
            "unsigned": "np.zeros(result.shape, 'u1')",
            "a_generator": "(each for each in range(3))",
            "a_type": "np.ndarray",
            "itself": "relu_vjp",
        }.items()
    ),
    Forgery("all_nan", relu="return grad * np.nan"),
    Forgery("all_infinite", relu="return np.where(result > 0, np.inf, grad * 0)"),
    Forgery("complex_step", relu="h = 1e-30\nreturn grad * np.maximum(result + h * 1j, 0).imag / h"),
    Forgery("finite_difference", relu="h = 1e-3\nreturn grad * (np.maximum(result + h, 0) - result) / h"),
    Forgery("nothing_but_an_object", relu="return object()"),
    Forgery("a_million_numbers", relu="return np.zeros(10**6)"),
    Forgery("deep_lists", relu="x = []\nfor _ in range(10**5): x = [x]\nreturn x"),
]
