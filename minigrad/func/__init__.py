"""torch.func: functions that give a function's derivatives, as functions of its arguments.

level.py keeps what belongs to one differentiation apart from all around it; pytree.py takes dicts, lists and tuples of
tensors to pieces. Where torch maps over a basis, and in vmap, there is a loop: no rules for batches.

A function that writes into tensors from outside is refused by torch; here nothing tells them from the function's own, and
the write is done.
"""

from ..errors import refusing
from .functional_call import functional_call, stack_module_state
from .grad import grad, grad_and_value
from .jacobians import hessian, jacfwd, jacrev
from .products import jvp, linearize, vjp
from .vmap import vmap

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "stack_module_state",
    "vjp", "vmap",
]  # fmt: skip

__getattr__ = refusing(__name__)
