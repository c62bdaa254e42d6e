"""torch.backends.cudnn, a module of its own as in torch: programs import it. Its switches can be set, and change nothing."""

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False: there is no such backend here."""
    return False


def version() -> None:
    """None, likewise."""
