"""What the engine says about names it does not have, and torch's longer words about the saved values of a graph."""

from __future__ import annotations

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} "
    "{shape}]{source} is at version {actual}; expected version {expected} instead. Hint: enable anomaly detection to "
    "find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


def suggestion(name: str, known: list[str]) -> str:
    """' Did you mean: 'tanh'?' for a near miss, else ''."""
    import difflib  # only when a name was wrong

    close = difflib.get_close_matches(name, known, 1)
    return f" Did you mean: '{close[0]}'?" if close else ""


def unknown_name(name: str, known: list[str], module: str = "minigrad") -> AttributeError:
    """The error for a name that a module does not have: what comes closest, and where the list stands."""
    hint = "" if name.startswith("__") else suggestion(name, known)
    where = "" if name.startswith("__") else " All names: docs/api.md"
    return AttributeError(f"module '{module}' has no attribute '{name}'.{hint}{where}")
