"""torch.backends.cuda, a module of its own as in torch: programs set its switches, which change nothing."""

from types import SimpleNamespace

matmul = SimpleNamespace(allow_tf32=False)


def is_built() -> bool:
    """False: there is no such backend here. GPUs are CuPy's business."""
    return False
