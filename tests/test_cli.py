"""The command line: help, errors in both languages, and each command on a small course."""

from __future__ import annotations

import sys

import pytest
from scratch_lesson import scratch_course, with_configuration, write

from autograder import cli, doctor, release


@pytest.fixture
def course(tmp_path):
    made = with_configuration(scratch_course(tmp_path / "course"))
    release.release(made, "90_scratch", write(tmp_path))
    return made


def run(capsys, *arguments):
    """The exit status, and what was printed on both streams."""
    try:
        status = cli.main(list(arguments))
    except SystemExit as left:
        status = left.code
    said = capsys.readouterr()
    return status, said.out + said.err


def test_help_names_every_command_in_both_languages(capsys):
    status, said = run(capsys, "--help")
    assert status == 0
    for command in ("release", "grade", "feedback", "report", "demo", "doctor", "lab"):
        assert command in said
    assert "评分" in said and "grade a lesson's submissions" in said


@pytest.mark.parametrize("command", ["release", "grade", "feedback", "report", "demo", "doctor", "lab"])
def test_every_command_has_help(capsys, command):
    status, said = run(capsys, command, "--help")
    assert status == 0 and "·" in said


@pytest.mark.parametrize("command", ["grade", "report"])
def test_an_unknown_lesson_offers_the_nearest(capsys, course, command):
    status, said = run(capsys, "--course", str(course.root), command, "90_scrach")
    assert status == 1
    assert "90_scratch" in said and "没有" in said and "There is no" in said and "Traceback" not in said


def test_a_folder_that_is_no_course(capsys, tmp_path):
    status, said = run(capsys, "--course", str(tmp_path / "nothing"), "report", "90_scratch")
    assert status == 1 and "Traceback" not in said


def test_usage_errors(capsys):
    assert run(capsys, "grade")[0] == 2
    assert run(capsys, "grad", "x")[0] == 2


@pytest.mark.sandbox
def test_grade_feedback_report(capsys, course):
    folder = course.path("submitted", "ada", "90_scratch")
    folder.mkdir(parents=True)
    data = (course.path("release", ".", "90_scratch") / "90_scratch.ipynb").read_text(encoding="utf-8")
    answer = "return grad * (1 - result * result)"
    head = 'def tanh_vjp(grad, result):\\n",\n    "    \\"\\"\\"The gradient of tanh.\\"\\"\\"\\n",\n'
    assert head in data
    (folder / "90_scratch.ipynb").write_text(data.replace(head, head + f'    "    {answer}\\n",\n'))
    place = ("--course", str(course.root))

    status, said = run(capsys, *place, "grade", "90_scratch")
    assert status == 0
    assert "ada" in said and "1 / 4" in said and "exp_log_backward 0/2" in said
    assert "还没有写" in said and "Not written yet" in said

    status, said = run(capsys, *place, "grade", "90_scratch", "--student", "ada")
    assert status == 0 and "graded earlier" in said

    status, said = run(capsys, *place, "feedback", "90_scratch")
    assert status == 0 and str(course.root / "feedback") in said.replace("\n", "")
    assert (course.root / "feedback" / "ada" / "90_scratch" / "90_scratch.html").is_file()

    status, said = run(capsys, *place, "report", "90_scratch")
    assert status == 0 and (course.root / "report" / "90_scratch.html").is_file()


@pytest.mark.sandbox
def test_doctor_looks_at_everything():
    found = {finding.what: finding for finding in doctor.findings()}
    asked = (
        "torch, nbgrader, bubblewrap, graphviz (dot), Python 3 (ipykernel), nbgrader (JupyterLab), exchange, course/"
    )
    assert set(asked.split(", ")) <= found.keys()
    for name in ("torch", "bubblewrap", "Python 3 (ipykernel)", "nbgrader (JupyterLab)", "release/"):
        assert found[name].ok, found[name]
    assert all(finding.remedy for finding in found.values() if finding.ok is not True)


@pytest.mark.sandbox
def test_doctor_on_a_machine_that_lacks_things(capsys, tmp_path, monkeypatch):
    """No program to be found but what the sandbox needs, no exchange, an extension off, a full disk."""
    course = with_configuration(scratch_course(tmp_path / "course"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    (tmp_path / "jupyter_server_config.json").write_text(
        '{"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.validate_assignment": false}}}'
    )
    monkeypatch.setattr(doctor, "NEEDED_SPACE", 2**80)
    monkeypatch.setattr(release, "check", lambda: ["90_scratch"])  # looked at above; takes a while
    monkeypatch.setattr(cli.screen, "_width", 500)
    status, said = run(capsys, "--course", str(course.root), "doctor")
    assert status == 1 and "Traceback" not in said
    words = " ".join(said.replace("│", " ").split())
    for remedy in ("apt-get install graphviz", "apt-get install chromium", "server extension enable", "free some disk"):
        assert remedy in words
    assert "validate_assignment" in words and "没有启用" in words and "不能写" in words and "mkdir -p" in words
    assert "the sandbox works" in words


def test_doctor_without_packages(monkeypatch):
    monkeypatch.setattr(doctor, "version", no_package)
    monkeypatch.setitem(sys.modules, "autograder.release", None)
    monkeypatch.delattr("autograder.release")
    found = {finding.what: finding for finding in doctor.findings(only=("pip", "release/"))}
    assert set(found) == {"torch", "nbgrader", "jupyterlab", "numpy", "release/"}
    assert all(not each.ok and each.remedy == "make distclean && make demo" for each in found.values())


def no_package(name):
    raise doctor.PackageNotFoundError(name)
