"""The command line: `autograder` or `python -m autograder`.

Reads arguments, shows progress and tables, and turns every AutograderError into its two sentences. What a
command does is in the module of its name, handing in in receipts.py.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.errors import AutograderError
from autograder.messages import called_with, command, text
from autograder.terminal import bar, errors, feedback_shown, grade_shown, grading, screen
from autograder.usage import Parser, at_least_one, scheduler

if TYPE_CHECKING:
    from autograder.course import Course


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    0 done, 1 something was wrong (said in both languages), 2 usage.
    """
    given = _parser().parse_args(arguments)
    vars(given).update({name: [*dict.fromkeys(each)] for name, each in vars(given).items() if isinstance(each, list)})
    # nbformat imports jsonschema, which imports this to check one kind of URL that no notebook has: 2 seconds.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    try:
        with called_with(_program(), _which_class(given)):
            return int(given.run(given) or 0)
    except AutograderError as error:
        return _complain(error)
    except BrokenPipeError:  # whoever reads has seen enough: autograder grade … | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        errors.print("\n已停下；做完的都留着 · stopped; what was done is kept")
        return 130
    except Exception as error:
        if (known := _in_words(error)) is None:
            raise
        return _complain(known)


def _program() -> str:
    """What this was started as, if that is how it is found; its name where the shell knows it, and in a test."""
    started = sys.argv[0]
    return started if Path(started).name == "autograder" and shutil.which("autograder") != started else "autograder"


def _which_class(given: argparse.Namespace) -> list[str]:
    """The options that say which course and gradebook, for the commands that this one will tell of; no password."""
    options = ["--course", str(given.course)] if given.course else []
    return options + (["--db", re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:***@", given.db)] if given.db else [])


def _tell(words: object) -> None:
    """Print a sentence whose command can be copied: no line is broken but by the terminal itself."""
    screen.print(str(words), highlight=False, soft_wrap=True)


def _complain(error: AutograderError) -> int:
    errors.print(f"✗ {error}", highlight=False, soft_wrap=True)
    return 1


def _in_words(error: Exception) -> AutograderError | None:
    """What the system refused, where no command has better words for it; None for a bug of ours."""
    if isinstance(error, OSError):
        where = ": ".join(filter(None, [str(error.filename or ""), error.strerror or str(error)]))
        return AutograderError(text("system_refused"), where=where, remedy=text("system_refused_remedy"))
    return None


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="autograder", description="发布课程、评分、反馈、报告 · release lessons, grade, feedback, report"
    )
    which = ("--course", "--db")  # before the command or behind it, where most look for the place of an option
    for each in which:
        parser.add_argument(each, **_ARGUMENTS[each])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for run, (words, arguments) in _commands().items():
        name = run.__name__.lstrip("_")
        added = commands.add_parser(name, help=words, description=words)
        added.set_defaults(run=run, parser=added, retry=False)
        for each in arguments.split():
            added.add_argument(each, **_ARGUMENTS[each])
        for each in which:
            added.add_argument(each, **_ARGUMENTS[each], default=argparse.SUPPRESS)  # what is given before it stays
    return parser


# The arguments of commands, which mean the same for every command.
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "--course": {"type": Path, "metavar": "DIR", "help": "课程目录 · the course folder (course/)"},
    "--db": {"metavar": "URL", "help": "成绩册，如 postgresql://… · the gradebook (default: SQLite)"},
    "lesson": {"metavar": "LESSON", "help": "课名，如 00_warmup · the lesson's name, such as 00_warmup"},
    "lessons": {"nargs": "*", "metavar": "LESSON", "help": "不写就是全部 · default: all"},
    "student": {"metavar": "STUDENT", "help": "学号 · the student's id"},
    "check": {"metavar": "CHECK", "help": "检查的名字，如 warmup_by_hand · the check's name, such as warmup_by_hand"},
    "notebook": {"type": Path, "metavar": "NOTEBOOK", "help": "要交的 .ipynb · the .ipynb to hand in"},
    "source": {"type": Path, "nargs": "?", "metavar": "FROM", "help": "不写就从 exchange 收 · default: the exchange"},
    "--id": {"metavar": "ID", "help": "学号，默认是登录名 · the student's id; default: the login name"},
    "--to": {"type": Path, "metavar": "DIR", "help": "老师收作业的文件夹 · the folder the teacher collects from"},
    "--check": {"action": "store_true", "help": "只检查，不写 · only check that they are up to date"},
    "--sync-solutions": {"action": "store_true", "help": "先从引擎抄入答案 · copy the engine's bodies first"},
    "--student": {"action": "append", "metavar": "ID", "help": "只是这个学生，可重复 · only this student; repeatable"},
    "--unsafe": {"action": "store_true", "help": "没有沙箱也评（危险）· grade without a sandbox (dangerous)"},
    "--workers": {
        "type": at_least_one,
        "metavar": "N",
        "help": "用几个核；1 就在本进程里 · number of cores; 1 means this process",
    },
    "--scheduler": {
        "type": scheduler,
        "metavar": "ADDRESS",
        "help": "Dask 集群，如 tcp://host:8786 · a Dask cluster",
    },
    "--retry": {"action": "store_true", "help": "放弃过的也再试 · retry what was given up on"},
    "--dry-run": {"action": "store_true", "help": "只看，不写 · show every change, write nothing"},
    "--clear": {
        "action": "store_true",
        "help": "清掉样例班的作业、成绩和报告 · remove the sample class's work, grades and reports",
    },
    "--format": {"default": "plain", "metavar": "plain|canvas|moodle", "help": "默认 plain · plain by default"},
    "--out": {
        "metavar": "FILE",
        "help": "默认 report/scores.csv（在课程目录里）· default: report/scores.csv in the course",
    },
}


def _commands() -> dict[Callable[[argparse.Namespace], int], tuple[str, str]]:
    """What each command does, in words, and which arguments it takes."""
    how = "lesson --student --unsafe --workers --scheduler"
    return {
        _release: (
            "从源文件生成课程 · build and release the lessons from their sources",
            "lessons --check --sync-solutions",
        ),
        _grade: ("给一课的提交评分 · grade a lesson's submissions", f"{how} --retry"),
        _regrade: ("重评一课，或先看会变什么 · regrade a lesson, or preview what would change", f"{how} --dry-run"),
        _feedback: ("写出每个学生的反馈页 · write every student's feedback page", "lesson --student"),
        _report: ("写出班级报告：每课、每个学生 · class report: a page per lesson and student", "lessons"),
        _export: (
            "把成绩写成 CSV · write the scores as CSV, for Canvas, Moodle or a spreadsheet",
            "lessons --format --out",
        ),
        _submit: ("交一份作业，拿回执 · hand in a notebook and get a receipt", "notebook --id --to"),
        _collect: (
            "收作业：exchange、文件夹或学习平台的 zip · collect from the exchange, a folder or an LMS's zip",
            "lesson source",
        ),
        _replay: (
            "照原样重跑一个检查，两边并排 · rerun one check as it was graded, both sides shown",
            "student lesson check --unsafe",
        ),
        _demo: ("发布所有课，给样例班评分 · release all lessons and grade a sample class", "lessons --unsafe --clear"),
        _doctor: ("这台机器缺什么 · what this machine lacks, and what to do about it", ""),
        _lab: ("在 JupyterLab 里打开课程 · open the lessons in JupyterLab", ""),
    }


def _course(given: argparse.Namespace) -> Course:
    """The course that is meant, with its gradebook where it is said to be. Releasing is what begins one."""
    from autograder import course, lessons

    begun = given.course and given.run is _release and course.Course.begin(given.course)
    if given.course and not given.course.is_dir():
        raise AutograderError(text("no_course_folder"), str(given.course), command("release"))
    if given.course and given.run not in (_release, _demo) and not course.is_one(given.course):
        raise AutograderError(text("no_course_in_folder"), str(given.course), command("release"))
    found = course.Course(given.course or lessons.COURSE, course.database(given.db) if given.db else None)
    if begun:
        _tell(text("course_begun", folder=found.root, teach=found.teach))
    return found


# ── the commands ─────────────────────────────────────────────────────────────────────────────────


def _release(given: argparse.Namespace) -> int:
    from autograder import lessons, release, solutions

    names = given.lessons or lessons.names()
    for name in names:
        lessons.source_path(name)
    if given.check:
        checked = release.check(given.lessons or None)
        screen.print(f"✓ {len(checked)} 课都是最新的 · lessons are current")
        return 0
    course = _course(given)
    course.enrol()
    with bar("发布 · release", len(names)) as step:
        for name in names:
            if given.sync_solutions:
                solutions.sync(name, lessons.SOURCES)
            done = release.release(course, name)
            step(f"{name} {'已更新 · updated' if done.changed else '没有变化 · unchanged'}")
    if not given.lessons:
        release.release_pages(course)
    return 0


def _grade(given: argparse.Namespace) -> int:
    from autograder import report
    from autograder.grade import released_lesson

    course = _course(given)
    if given.retry:
        course.ledger.retry(given.lesson)
    how = {"workers": given.workers, "scheduler": given.scheduler}
    results = grade_shown(course, given.lesson, given.student, given.unsafe, **how)
    if results:
        screen.print(report.table(course, released_lesson(course, given.lesson), results))
    _tell(report.summed_up(given.lesson, results))
    return int(any(result.status == "failed" for result in results))


def _regrade(given: argparse.Namespace) -> int:
    from autograder import regrade

    if not given.dry_run:
        return _grade(given)
    how = {"unsafe": given.unsafe, "workers": given.workers, "scheduler": given.scheduler}
    course = _course(given)
    with grading(course, given.lesson, given.student) as progress:
        found = regrade.changes(course, given.lesson, given.student, progress=progress, **how)
    if not course.students(given.lesson):
        _tell(text("nobody_handed_in", lesson=given.lesson))
    else:
        screen.print(regrade.table(found) if found else "没有分数会变 · no score would change")
    return 0


def _feedback(given: argparse.Namespace) -> int:
    course = _course(given)
    pages = feedback_shown(course, given.lesson, given.student)
    if not pages:
        _tell(text("nothing_graded", lesson=given.lesson))
        return 0
    screen.print(f"✓ {len(pages)} 页反馈 · feedback pages: {course.path('feedback', 'x', 'x').parent.parent}")
    return 0


def _say_what_is_not_graded(course: Course, wanted: Sequence[str]) -> None:
    """A page or a table without any scores in it is not what was asked for."""
    from autograder.summary import graded

    done = graded(course)
    if not wanted and not done:
        _tell(text("no_lesson_graded"))
    for name in wanted:
        if name not in done:
            _tell(text("nothing_graded", lesson=name))


def _report(given: argparse.Namespace) -> int:
    from autograder import report

    course = _course(given)
    with bar("报告 · report", len(course.roster()), quiet=True) as step:
        paths = report.write(course, given.lessons, step)
    _say_what_is_not_graded(course, given.lessons)
    for path in paths:
        screen.print(f"✓ 班级报告 · class report: {path}")
    return 0


def _export(given: argparse.Namespace) -> int:
    from autograder import export, summary
    from autograder.waiting import waiting

    course = _course(given)
    path = given.out or course.root / "report" / "scores.csv"
    with waiting("still_working"):
        path, sheet = export.write(course, given.lessons or summary.graded(course), given.format, path)
    _say_what_is_not_graded(course, given.lessons)
    _tell(f"✓ {len(sheet.students)} 个学生 · students: {path}")
    for words, counts in (("reflections_waiting", sheet.waiting), ("marks_outdated", sheet.outdated)):
        if count := sum(counts.values()):
            where = ", ".join(f"{name} {number}" for name, number in counts.items() if number)
            _tell(text(words, count=count, where=where, teach=course.teach))
    return 0


def _submit(given: argparse.Namespace) -> int:
    from autograder.waiting import waiting

    with waiting("still_submitting"):
        from autograder import handed_in, own_folder, receipts

        own_folder.restore_language(handed_in.home_of(given.notebook).parent.parent)
        receipt = receipts.submit(given.notebook, given.id, given.to)
    _tell("\n".join(receipt.lines()))
    return int(receipt.problem is not None or not receipt.sent)  # saved here is not handed in


def _collect(given: argparse.Namespace) -> int:
    from autograder import collect

    shown = functools.partial(bar, f"{given.lesson} 收作业 · collect", quiet=True)
    found = collect.collect(_course(given), given.lesson, given.source, shown)
    _tell(found.headline())
    if (told := found.table()).row_count:
        screen.print(told)
    return int(any(notice.grave for notice in found.notices))


def _replay(given: argparse.Namespace) -> int:
    from autograder.waiting import waiting

    with waiting("still_working"):
        from autograder import replay

        found = replay.replay(_course(given), given.student, given.lesson, given.check, unsafe=given.unsafe)
    screen.print(replay.table(found))
    return int(found.graded is not None and not found.same)


def _demo(given: argparse.Namespace) -> int:
    from autograder import demo

    if given.clear:
        return demo.clear(_course(given))
    return demo.run(given.course, given.lessons, unsafe=given.unsafe)


def _doctor(given: argparse.Namespace) -> int:
    from autograder import doctor, lessons

    return doctor.run(screen, given.course or lessons.COURSE)


def _lab(given: argparse.Namespace) -> int:
    from autograder.lessons import PROJECT

    tool = PROJECT / "tools" / "lab.py"
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, str(tool), "lessons"])
