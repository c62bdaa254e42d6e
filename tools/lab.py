"""Opens JupyterLab with nbgrader's extensions: `lab.py lessons` for learners, `lab.py COURSE` (a folder) for teachers.

Lessons are opened as copies in my_lessons/, since release/ is generated and committed: a lesson that is not
there yet is copied, one that is there is never touched. Further arguments go to JupyterLab, as in
`make lab ARGS=--no-browser`. It starts this project's own Python and kernel; it releases and grades nothing.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE = ROOT / "release"
MINE = ROOT / "my_lessons"
SETTINGS = ROOT / "tools" / "jupyter"  # labconfig/: no question about news at the first start
LEARNERS = ROOT / "tools" / "jupyter_lessons"  # without what only teachers need of nbgrader, and without its warning
# Warnings and the address only; nothing asked of the network.
QUIET = (
    "--KernelManager.transport_encryption=auto",  # else every kernel warns that others on this machine could listen
    "--log-level=WARN",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)


def copy_new(release: Path, mine: Path) -> list[str]:
    """Copy what `mine` does not have yet; the names of the lessons that are new there.

    A file that exists is left alone whatever it holds. Each file appears whole or not at all, so that an
    interrupted copy is not taken for somebody's work.
    """
    new = []
    for lesson in sorted(path for path in release.iterdir() if path.is_dir()):
        if not (mine / lesson.name).exists():
            new.append(lesson.name)
        for source in sorted(path for path in lesson.rglob("*") if path.is_file()):
            target = mine / source.relative_to(release)
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                scratch = target.with_name(f".{target.name}.part")
                shutil.copyfile(source, scratch)
                scratch.replace(target)
    return new


def prepare(mode: str) -> Path:
    """The folder to open, ready: the learner's lessons, or the course that `mode` names."""
    if mode != "lessons":
        course = ROOT / Path(mode).expanduser()
        if not (course / "nbgrader_config.py").is_file():
            sys.exit(f"✗ 这里没有课程 · no course here: {course}\n  → autograder --course {course} release")
        return course
    if not RELEASE.is_dir() or not any(RELEASE.iterdir()):
        sys.exit("✗ release/ 里没有课程，请运行 · release/ holds no lesson, run: make generate")
    new = copy_new(RELEASE, MINE)
    print(f"你的副本 · your copies: {MINE}" + (f"\n新课 · new: {', '.join(new)}" if new else ""))
    print("只改这里的文件；再次打开不会覆盖它们 · edit these files only; opening again never overwrites them")
    return MINE


def environment(folder: Path, *settings: Path) -> dict[str, str]:
    """This process's environment, our defaults for JupyterLab's settings added; the user's own settings go before them.

    Which tabs were open is kept in the folder that is opened: in the home directory, another clone's would come up.
    """
    folders = [os.environ.get("JUPYTER_CONFIG_PATH"), *settings, SETTINGS]
    ours = {"JUPYTERLAB_WORKSPACES_DIR": str(folder / ".jupyter" / "workspaces")}
    return ours | {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(str(each) for each in folders if each)}


def main() -> None:
    """Become JupyterLab: its Ctrl-C and its exit status are then the shell's own."""
    if len(sys.argv) < 2:
        sys.exit("usage: lab.py lessons|COURSE [JupyterLab's options]")
    folder = prepare(sys.argv[1])
    settings = [LEARNERS] if sys.argv[1] == "lessons" else []
    options = [f"--ServerApp.root_dir={folder}", *QUIET]
    if os.geteuid() == 0:
        options.append("--allow-root")  # without it Jupyter refuses to start
    sys.stdout.flush()
    os.chdir(folder)  # nbgrader's extensions read the nbgrader_config.py of the folder the server starts in
    os.execve(
        sys.executable, [sys.executable, "-m", "jupyterlab", *options, *sys.argv[2:]], environment(folder, *settings)
    )


if __name__ == "__main__":
    main()
