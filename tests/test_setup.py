"""Setting up: what happens before anything is installed, and the copies of lessons that learners work on."""

import http.server
import os
import shutil
import subprocess
import sys
import threading

import pytest
from project_files import ROOT

TOOLS = ROOT / "tools"


@pytest.fixture
def setup(monkeypatch):
    """tools/setup.py as a module, with nothing in the environment that would steer it."""
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    for name in ("setup", "progress"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delenv("TORCH_INDEX_URL", raising=False)
    import setup

    return setup


@pytest.fixture
def tools_only(tmp_path):
    """A folder that holds tools/ and nothing else."""
    folder = tmp_path / "some where"
    shutil.copytree(TOOLS, folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("python", ["/nowhere/python3", "false"])
def test_without_a_new_enough_python_it_says_what_to_do(tools_only, python):
    command = ["sh", tools_only / "tools/setup.sh"]
    done = subprocess.run(command, env={**os.environ, "PYTHON": python}, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    for words in (
        "找不到 Python 3.11",
        "No Python 3.11 or newer",
        python,
        "apt-get install",
        "conda env create",
    ):
        assert words in done.stderr
    assert [path.name for path in tools_only.iterdir()] == ["tools"]


def test_it_hands_over_to_the_python_that_is_named_and_clears_what_was_left_behind(tools_only):
    (tools_only / "tools/setup.py").write_text("import os, sys; print(sys.executable, sorted(os.environ))")
    leftovers = {"PYTHONPATH": "/nowhere", "PYTHONHOME": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    command = ["sh", tools_only / "tools/setup.sh"]
    env = {**os.environ, **leftovers, "CONDA_PREFIX": "/nowhere", "PYTHON": sys.executable}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(sys.executable)
    assert not any(f"'{name}'" in done.stdout for name in [*leftovers, "CONDA_PREFIX"])


# ── where torch comes from ───────────────────────────────────────────────────────────────────────


@pytest.fixture
def index():
    """The address of a server on this machine that answers every request."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def ask(setup, monkeypatch, cpu_index, **env):
    """Where a Linux machine with this environment, and no pip configuration of its own, looks for torch."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    monkeypatch.setattr(setup, "ENVIRONMENT", clean | {"PIP_CONFIG_FILE": os.devnull} | env)
    monkeypatch.setattr(setup, "PYTHON", sys.executable)
    monkeypatch.setattr(setup, "TORCH_CPU_INDEX", cpu_index)
    monkeypatch.setenv("no_proxy", "*")
    return list(setup.torch_indexes())


def test_an_ordinary_machine_takes_the_small_build_first(setup, monkeypatch, index):
    assert ask(setup, monkeypatch, index) == [index, None]


def test_a_machine_that_cannot_reach_it_takes_what_pip_has(setup, monkeypatch, index):
    closed = index.rpartition(":")[0] + ":1"
    assert ask(setup, monkeypatch, closed) == [None]


@pytest.mark.parametrize("option", ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"])
def test_a_machine_with_its_own_index_asks_nobody_else(setup, monkeypatch, index, option):
    assert ask(setup, monkeypatch, index, **{option: "1"}) == [None]


@pytest.mark.parametrize(("value", "found"), [("https://a.example/whl", "https://a.example/whl"), ("", None)])
def test_the_user_decides(setup, monkeypatch, index, value, found):
    monkeypatch.setenv("TORCH_INDEX_URL", value)
    assert ask(setup, monkeypatch, index) == [found]


def test_the_environment_for_pip_installs_nowhere_else():
    program = "import sys; sys.path.insert(0, sys.argv[1]); import setup; print(*setup.ENVIRONMENT.values())"
    env = {**os.environ, "PIP_TARGET": "/nowhere", "PIP_PREFIX": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    command = [sys.executable, "-I", "-c", program, TOOLS]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout and "/nowhere" not in done.stdout


# ── what it shows meanwhile ──────────────────────────────────────────────────────────────────────


class Shown:
    """Takes the place of the screen."""

    def __init__(self):
        self.lines = []

    def update(self, detail, done):
        self.lines.append((detail, round(done, 2)))


def test_pips_output_becomes_a_bar(setup, tmp_path):
    shown = Shown()
    follow = setup.PipLines(shown, total=4, site=tmp_path)
    for line in (
        "Collecting numpy==2.4.6",
        "Requirement already satisfied: rich<16 in ./x (from y)",
        "Progress 1000 of 2000",
        "Progress 100000000 of 200000000",
        "Installing collected packages: numpy, rich",
    ):
        follow(line)
    (tmp_path / "lib/python3.11/site-packages/numpy-2.4.6.dist-info").mkdir(parents=True)
    follow("")
    assert shown.lines == [
        ("numpy==2.4.6", 0.25),
        ("rich<16", 0.5),
        ("rich<16", 0.5),
        ("rich<16 100/200 MB", 0.5),
        ("写入磁盘 · writing 0/2", 0.0),
        ("写入磁盘 · writing 1/2", 0.5),
    ]


def test_a_line_never_outgrows_the_terminal(setup):
    clip = sys.modules["progress"].clip
    assert [clip("写入 disk", columns) for columns in (1, 2, 5, 6, 99)] == [
        "",
        "写",
        "写入 ",
        "写入 d",
        "写入 disk",
    ]


def test_a_command_is_watched_to_its_end(setup, tmp_path):
    heard, log = [], tmp_path / "log"
    program = "import sys; print('one'); print('two', file=sys.stderr); sys.exit(3)"
    watch = setup.watch
    assert watch([sys.executable, "-uc", program], heard.append, log, dict(os.environ)) is False
    assert [line for line in heard if line] == ["one", "two"]
    assert "one\ntwo\n" in log.read_text()
    assert watch([sys.executable, "-c", ""], heard.append, log, dict(os.environ)) is True


# ── learners' copies ─────────────────────────────────────────────────────────────────────────────


def test_copies_are_made_once_and_never_overwritten(tmp_path):
    from tools.lab import copy_new

    release, mine = tmp_path / "release", tmp_path / "mine"
    (release / "00_a").mkdir(parents=True)
    (release / "00_a/00_a.ipynb").write_text("first")
    assert copy_new(release, mine) == ["00_a"]
    (mine / "00_a/00_a.ipynb").write_text("my work")
    (release / "00_a/00_a.ipynb").write_text("second")
    (release / "00_a/data.csv").write_text("1,2")
    (release / "03_b").mkdir()
    (release / "03_b/03_b.ipynb").write_text("new")
    assert copy_new(release, mine) == ["03_b"]
    found = {str(path.relative_to(mine)): path.read_text() for path in mine.rglob("*") if path.is_file()}
    assert found == {"00_a/00_a.ipynb": "my work", "00_a/data.csv": "1,2", "03_b/03_b.ipynb": "new"}


# ── JupyterLab ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_two_clones_share_no_tabs_and_a_users_own_choice_holds(tmp_path, monkeypatch):
    from tools import lab

    monkeypatch.delenv("JUPYTERLAB_WORKSPACES_DIR", raising=False)
    said = "from jupyterlab.commands import get_workspaces_dir; print(get_workspaces_dir())"
    for folder in (tmp_path / "one", tmp_path / "other"):
        command, here = [sys.executable, "-c", said], lab.environment(folder)
        done = subprocess.run(command, env=here, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(folder / ".jupyter" / "workspaces")
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", "/mine")
    assert lab.environment(tmp_path)["JUPYTERLAB_WORKSPACES_DIR"] == "/mine"


@pytest.mark.slow
def test_nbgrader_does_not_warn_a_student_who_has_no_configuration_and_reads_one_who_has(tmp_path, monkeypatch):
    from tools import lab

    monkeypatch.delenv("JUPYTER_CONFIG_DIR", raising=False)
    program = "from nbgrader.apps import NbGrader; a = NbGrader(); a.load_config_file(); print(a.config.Exchange.root)"

    def said(*settings):
        here = lab.environment(tmp_path, *settings) | {"HOME": str(tmp_path)}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=here, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert "No nbgrader_config.py file found" in said().stderr
    assert said(lab.LEARNERS).stderr == ""
    (tmp_path / ".jupyter").mkdir()
    (tmp_path / ".jupyter/nbgrader_config.py").write_text('get_config().Exchange.root = "/srv/theirs"\n')
    assert said(lab.LEARNERS).stdout.strip() == "/srv/theirs"


@pytest.mark.slow
def test_a_kernel_starts_without_a_warning_that_others_on_the_machine_could_listen(tmp_path):
    from jupyter_client import KernelManager

    from tools import lab

    begin = "--KernelManager."
    ours = dict(each.removeprefix(begin).split("=") for each in lab.QUIET if each.startswith(begin))
    kernel, log = KernelManager(**ours), tmp_path / "log"
    with log.open("w") as said:
        kernel.start_kernel(stdout=said, stderr=said)
        try:
            client = kernel.blocking_client()
            client.start_channels()
            client.wait_for_ready(60)
            client.stop_channels()
        finally:
            kernel.shutdown_kernel(now=True)
    assert log.read_text() == ""
