"""torch.backends.mps, a module of its own as in torch: programs ask whether there is one of Apple's GPUs to compute on."""


def is_available() -> bool:
    """False: there is no such backend here."""
    return False


def is_built() -> bool:
    """False, likewise."""
    return False
