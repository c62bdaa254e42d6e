"""What the engine says about names it does not have. All other errors are torch's own classes and words."""

from __future__ import annotations


def suggestion(name: str, known: list[str]) -> str:
    """' Did you mean: 'tanh'?' for a near miss, else ''."""
    import difflib  # only when a name was wrong

    close = difflib.get_close_matches(name, known, 1)
    return f" Did you mean: '{close[0]}'?" if close else ""


def unknown_name(name: str, known: list[str]) -> AttributeError:
    """The error for a name that the package does not have: what comes closest, and where the list stands."""
    hint = "" if name.startswith("__") else suggestion(name, known)
    where = "" if name.startswith("__") else " All names: docs/api.md"
    return AttributeError(f"module 'minigrad' has no attribute '{name}'.{hint}{where}")
