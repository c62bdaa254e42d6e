"""What holds for every test: it leaves the engines and the process as it found them, and runs the same way twice."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings
from sandbox_tools import QUICK

# Tests import helpers of these, and pytest the fixtures.
pytest.register_assert_rewrite("collect_tools", "device_tools")

# The same examples each time, and no clock: a busy machine must not decide whether a test passes. To look for
# new examples: pytest --hypothesis-profile=explore
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much of what is random to try, and from which seed; pictures for the documents."""
    parser.addoption("--pictures", action="store_true", help="take the documents' pictures anew (docs/images)")
    parser.addoption("--programs", type=int, default=2000, help="random programs to run on both engines")
    parser.addoption("--draws", type=int, default=20, help="inputs that every check is tried on (test_checks.py)")
    parser.addoption("--seed", type=int, default=0, help="where their random numbers start")


def shared_state() -> dict[str, object]:
    """What a test could change for those after it, of the modules that are loaded."""
    state: dict[str, object] = {"folder": os.getcwd()}
    for name in ("minigrad", "torch"):
        if engine := sys.modules.get(name):
            state[f"{name} records"] = engine.is_grad_enabled()
            state[f"{name} default dtype"] = engine.get_default_dtype()
    if torch := sys.modules.get("torch"):
        state["torch is deterministic"] = torch.are_deterministic_algorithms_enabled()
    if parts := sys.modules.get("autograder.parts"):
        state["parts plugged in"] = sorted(parts.plugged())
    return state


@pytest.fixture(scope="session", autouse=True)
def kept_elsewhere(tmp_path_factory):
    """Checks that pass in tests do not fill the developer's own my_parts, nor what is handed in nbgrader's own list."""
    os.environ["MINIGRAD_MY_PARTS"] = str(tmp_path_factory.mktemp("parts") / "my_parts")
    os.environ["JUPYTER_DATA_DIR"] = str(tmp_path_factory.mktemp("jupyter"))


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail the test that leaves something behind, not the innocent one after it, and clean up."""
    before = shared_state()
    yield
    after = shared_state()
    left = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    if "parts plugged in" in left:
        sys.modules["autograder.parts"].unplug()
    os.chdir(before["folder"])
    for name in ("minigrad", "torch"):
        if f"{name} records" in left:
            sys.modules[name].set_grad_enabled(before[f"{name} records"])
        if f"{name} default dtype" in left:
            sys.modules[name].set_default_dtype(before[f"{name} default dtype"])
    assert not left, f"(before, after): {left}"


# ── A real sandbox, started when a test first asks for one ──────────────────────────────────────────────


@pytest.fixture(scope="session")
def kit():
    """The files that sandboxes show: the whole engine."""
    from autograder.kit import Kit

    kit = Kit()
    yield kit
    kit.close()


@pytest.fixture(scope="session")
def sandbox(kit):
    """What starts sandboxes."""
    from autograder.sandbox import Sandbox

    return Sandbox(kit, QUICK)


@pytest.fixture(scope="module")
def _waiting():
    waiting = []
    yield waiting
    for each in waiting:
        each.close()


@pytest.fixture
def running(sandbox, _waiting):
    """A sandbox that is up: the last test's if that left no trace in it, as the referee would have it."""
    if not (_waiting and _waiting[-1].alive):
        _waiting.append(sandbox.start())
    return _waiting[-1]


@pytest.fixture
def said(capsys):
    """said(check, {part: function}): what check() prints in English, the check's other parts being the engine's own."""
    import autograder
    from autograder import checks, messages, notebook, parts

    def run(name, written, seed=7):
        with parts.plugged_in({part: parts.original(part) for part in checks.get(name).parts} | written):
            autograder.check(name, seed)
        return capsys.readouterr().out

    messages.language("en")
    yield run
    messages.language("both")
    notebook._seeds.clear()
