"""Grade the submissions of a lesson: hand out work, write down what comes back, survive whatever happens.

This process is the one writer: it reads submissions, hands jobs to sandboxes here or on workers (cluster.py),
records what comes back in the ledger, then in nbgrader's gradebook and folders (gradebook.py), in batches. It may
be killed at any moment: what the ledger holds is not graded again, what the gradebook lacks is written again.
`nbgrader autograde` and formgrader's button give the same scores. Showing them is report.py's.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import nbformat

from autograder import ctrl_c, lessons
from autograder import nbgrader_plugin as ours
from autograder.course import Course, secret_of
from autograder.errors import AutograderError, UnknownName, Unreachable
from autograder.gradebook import Item, Writer
from autograder.ledger import MOST_TRIES, Key, Ledger
from autograder.lessons import Lesson, describe
from autograder.marks import Marks, marks
from autograder.messages import Text, command, text
from autograder.pages import Pair, pair_of
from autograder.records import Entry, grader_version, submission_hash
from autograder.referee import seed_of
from autograder.submitted import handed_in, require
from autograder.testimony import printable
from autograder.work import Done, Job, do, job_of

Progress = Callable[[int, int, "Result | str"], None]  # how many of how many; what became of one, or whose turn it is
BATCH = 25  # graded submissions that are written together
SECONDS = 2.0  # … or those of that long, if it is fewer
SMALL = 100  # with fewer to grade, one process is done before workers have started (benchmarks/grading.py)


@dataclass(frozen=True)
class Result:
    """What became of one student's submission.

    Graded, ungradable (a person must look) or failed (of our making).
    """

    student: str
    status: str
    score: float
    max_score: float
    manual: bool  # a person still has points to give
    fresh: bool  # graded just now, not earlier
    seconds: float = 0.0
    problem: Pair | None = None
    where: tuple[Ledger, Key] | None = field(default=None, repr=False)
    by_hand: dict[str, float] = field(default_factory=dict)  # what a person gave for a check instead
    besides: list[Text] = field(default_factory=list)  # what else cost points

    @property
    def entry(self) -> Entry | None:
        """The records, read from the ledger: a class of ten thousand need not be held in memory."""
        return self.where[0].find(self.where[1]) if self.where else None


class Here:
    """Does jobs in this process, one after the other: no start-up, best for a small class."""

    def __init__(self) -> None:
        self._job: tuple[Key, Job] | None = None
        self._unsafe: set[bool] = set()  # of the jobs that were done: which of this thread's referees has done them

    def start(self, key: Key, job: Job) -> None:
        """Take a job."""
        self._job = (key, job)
        self._unsafe.add(job["unsafe"])

    @property
    def free(self) -> int:
        """How many jobs can be taken now."""
        return 0 if self._job else 1

    def wait(self) -> list[tuple[Key, Done | Exception]]:
        """What has come back, at least one job if any is out: what it came to, or how it failed."""
        if not self._job:
            return []
        (key, job), self._job = self._job, None
        try:
            return [(key, do(job))]
        except Exception as error:  # one submission must never stop the rest
            return [(key, error)]

    def close(self) -> None:
        """End the sandbox that waits."""
        from autograder.work import referee

        for unsafe in self._unsafe:
            referee(unsafe).close()


def grade(
    lesson: str,
    students: Iterable[str] | None = None,
    *,
    unsafe: bool = False,
    course: Course | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    run: Any = None,
) -> list[Result]:
    """Grade a lesson's submissions (all, or those of `students`) and return one result each, by student.

    A large class is graded on all cores, or on `workers` of them (1: in this process), or on the cluster of a Dask
    `scheduler`; the results are the same.

    Raises AutograderError before anything is touched if the lesson is not released, a student is unknown, or
    there is no sandbox and `unsafe` is not set; and later if the disk is full or a database does not answer: then
    all that was graded is kept, and the next run goes on from there.
    """
    course = (course or Course()).changed({"RefereeExecute": {"unsafe": unsafe}})
    released = lessons.with_the_checks_points(released_lesson(course, lesson))
    chosen = _choose(course, lesson, students)
    require_sandbox(unsafe)
    with course.alone():
        course.ledger.verify()
        this = (run or Run)(course, released, chosen, unsafe, progress)
        this.prepare()
        return this.all(_hands(course, released, len(chosen), workers, scheduler))


def _hands(course: Course, lesson: Lesson, students: int, workers: int | None, scheduler: str | None) -> Any:
    """Who does the jobs: workers, where there is enough to do for them to be worth their start."""
    from autograder import cluster

    done = course.ledger.settled(lesson.name, version_for(course, lesson.name))
    few = students - done < SMALL or cluster.cores() == 1
    if scheduler is None and (workers == 1 or (workers is None and few)):
        return Here()
    return cluster.Workers(scheduler, workers)


def released_lesson(course: Course, name: str) -> Lesson:
    """The lesson as released to this course's students. Raises AutograderError if it was not."""
    folder = course.path("release", ".", name)
    path = folder / f"{name}.ipynb"
    if not path.is_file() and name in lessons.names():
        said = Text("这一课还没有发布。", "This lesson has not been released yet.")
        raise AutograderError(said, where=name, remedy=command("release", name))
    if not path.is_file():
        released = course.path("release", ".", "_").parent.glob("[0-9]*")  # not beside a name that is a path
        raise UnknownName(Text("已发布的课", "released lesson"), name, [each.name for each in released])
    try:
        lesson = describe(name, nbformat.read(path, as_version=4))
    except (ValueError, KeyError, AttributeError, nbformat.ValidationError):  # what nbformat raises has no base
        raise AutograderError(text("release_damaged"), str(path), command("release", name)) from None
    if not course.knows(lesson):
        raise AutograderError(
            Text(
                "成绩册里没有这一课，或者和发布的不一样。",
                "This lesson is not in the gradebook, or differs from the released one.",
            ),
            where=name,
            remedy=command("release", name),
        )
    return lesson


def require_sandbox(unsafe: bool) -> None:
    """Raise AutograderError unless there is a sandbox, or grading without one was asked for."""
    if not unsafe:
        from autograder.probe import probe

        probe()


def _choose(course: Course, lesson: str, students: Iterable[str] | None) -> list[str]:
    if students is None:
        return course.students(lesson)
    wanted = list(students)
    for student in wanted:
        require(course, lesson, student)
    return wanted


@dataclass
class _Submission:
    """One submission on its way: its key, and the released notebook with its answers."""

    student: str
    key: Key
    notebook: Any
    began: float
    job: Job | None = None  # None: nothing to run
    entry: Entry | None = None
    file: bool = True


class Run:
    """One grading run over a lesson. regrade.py has one that writes nothing."""

    def __init__(self, course: Course, lesson: Lesson, students: list[str], unsafe: bool, progress: Progress | None):
        self.course, self.lesson, self.students, self.unsafe = course, lesson, students, unsafe
        self.ledger, self.secret, self.version = course.ledger, secret_of(course.root), version_for(course, lesson.name)
        self.released = json.dumps(lesson.notebook)
        self.given = marks(course, lesson.name)
        self.progress = progress
        self.results: dict[str, Result] = {}
        self.out: dict[Key, _Submission] = {}
        self.again: deque[_Submission] = deque()
        self.batch: list[_Submission] = []
        self.written = time.monotonic()
        self.writer = Writer(course, lesson)
        self.penalties = self.writer.penalties_to_change()

    def prepare(self) -> None:
        """Let the gradebook know the students of the roster."""
        self.course.enrol()

    def all(self, hands: Any) -> list[Result]:
        """Hand out jobs as long as there are any; write what comes back; give the results by student."""
        waiting = self._to_do()
        try:
            with ctrl_c.heard() as asked_to_stop:
                while True:
                    self._hand_out(hands, waiting)
                    if not self.out:
                        break
                    self._show_who_is_out()
                    for key, done in hands.wait():
                        self._came_back(self.out.pop(key), done)
                    self._write(BATCH)
                    asked_to_stop()
                self._write(1)
        except (KeyboardInterrupt, Unreachable):  # what came back is graded; what is out was not the cause
            self._write(1)
            self.ledger.take_back(self.out)
            raise
        finally:
            hands.close()
        return [self.results[student] for student in self.students]

    def _hand_out(self, hands: Any, waiting: Iterator[_Submission]) -> None:
        """Fill the hands; every try is counted before it is made."""
        chosen: list[_Submission] = []
        while len(chosen) < hands.free:
            one = self.again.popleft() if self.again else next(waiting, None)
            if one is None:
                break
            chosen.append(one)
        self.ledger.begin((each.key, each.student) for each in chosen)
        for each in chosen:
            assert each.job
            self.out[each.key] = each
            self._show_who_is_out()  # workers may have to be started first
            hands.start(each.key, each.job)

    def _show_who_is_out(self) -> None:
        """Tell who is being graded: of several, who has been for the longest time."""
        if self.progress:
            self.progress(len(self.results), len(self.students), printable(next(iter(self.out.values())).student))

    def _to_do(self) -> Iterator[_Submission]:
        """The submissions that need a sandbox; all others are settled on the way."""
        for student in self.students:
            try:
                one = self._look_at(student)
            except AutograderError as error:
                self._finish(student, None, "failed", pair_of(error))
                continue
            except OSError as error:
                self._finish(student, None, "failed", {"zh": f"读不了：{error}", "en": f"Cannot be read: {error}"})
                continue
            if one is None:
                continue
            if one.entry is None and one.job is not None:
                if self.ledger.tries(one.key) < MOST_TRIES:
                    yield one
                else:
                    self._give_up(one, Text("评分器几次都在这里中断。", "The grader was cut off here several times."))
            else:
                self.batch.append(one)
                self._write(BATCH)

    def _look_at(self, student: str) -> _Submission | None:
        """What one submission needs; None if it needs nothing."""
        began = time.monotonic()
        data, problem = handed_in(self.course, student, self.lesson.name)
        digest = "" if data is None else submission_hash(data)
        key = Key(digest, self.lesson.name, self.version, seed_of(self.secret, student, self.lesson.name))
        entry = ours.standing(self.ledger, key, unsafe=self.unsafe)
        entry = None if entry and problem and entry.problem != problem else entry  # another reason than last time
        if entry and self._is_settled(student, key, entry):
            self._finish(student, key, "", None, began, entry, fresh=False)
            return None
        notebook = nbformat.from_dict(json.loads(self.released))
        if data is None:
            notebook.metadata["autograder"] = {"submission": "", "problem": problem, "notes": {}}
        else:
            notebook = ours.transplanted(notebook, data)
        one = _Submission(student, key, notebook, began, entry=entry, file=data is not None)
        if notebook.metadata.autograder["problem"]:
            one.entry = entry or ours.entry_of(self.lesson, student, key, notebook.metadata.autograder)
        elif entry is None:
            one.job = job_of(self.lesson, notebook, student, self.secret, unsafe=self.unsafe)
        return one

    def _is_settled(self, student: str, key: Key, entry: Entry) -> bool:
        """Whether the gradebook and the autograded folder show this very grading, and the student's no other."""
        latest = self.ledger.latest(self.lesson.name, student)
        done = self.course.path("autograded", student, self.lesson.name) / f"{self.lesson.name}.ipynb"
        cells = self.given.get(student, Marks()).cells
        return (
            self.ledger.state(key) == "settled"
            and latest == entry
            and student not in self.penalties
            and done.is_file()
            and all(i in cells and cells[i].auto == r["score"] for i, r in entry.records.items())
        )

    def _came_back(self, one: _Submission, done: Done | Exception) -> None:
        if not isinstance(done, Exception):
            one.entry = ours.entry_of(self.lesson, one.student, one.key, one.notebook.metadata.autograder, done)
            self.batch.append(one)
        elif isinstance(done, AutograderError):
            self._finish(one.student, None, "failed", pair_of(done), one.began)
        elif self.ledger.tries(one.key) < MOST_TRIES:
            self.again.append(one)
        else:
            self._give_up(one, Text(f"评分几次都失败：{done!r}", f"Grading failed several times: {done!r}"))

    def _give_up(self, one: _Submission, why: Text) -> None:
        self.ledger.give_up(one.key, why)
        once_more = command("grade", self.lesson.name, "--retry")
        remedy = Text(f"排除原因后：{once_more}", f"Once the cause is fixed: {once_more}")
        self._finish(one.student, None, "failed", pair_of(AutograderError(why, remedy=remedy)), one.began)

    def _write(self, most: int) -> None:
        """Write the batch if it is large or old enough: first the ledger, then what is made from it."""
        old = time.monotonic() - self.written > SECONDS
        if not self.batch or (len(self.batch) < most and not old):
            return
        batch, self.batch = self.batch, []
        entries = [one.entry for one in batch if one.entry]
        self.ledger.put(entries)
        items = [Item(one.student, one.entry, one.notebook, one.file) for one in batch if one.entry]
        failed = self.writer.write(items)
        self.ledger.settle(one.key for one in batch if one.student not in failed)
        self.given |= marks(self.course, self.lesson.name, [one.student for one in batch])
        self.written = time.monotonic()
        for one in batch:
            if error := failed.get(one.student):
                self._finish(one.student, one.key, "failed", pair_of(error), one.began)
            else:
                self._finish(one.student, one.key, "", None, one.began, one.entry)

    def _finish(
        self,
        student: str,
        key: Key | None,
        status: str,
        problem: Pair | None,
        began: float = 0.0,
        entry: Entry | None = None,
        *,
        fresh: bool = True,
    ) -> None:
        given = self.given.get(student, Marks())
        status = status or ("ungradable" if entry and entry.ungradable else "graded")
        if status == "ungradable" and entry:
            problem = next(r["reason"] for r in entry.records.values() if r["status"] == "ungradable")
        manual = status != "graded" or given.needs_a_person
        seconds = time.monotonic() - began if began else 0.0
        where = (self.ledger, key) if key else None
        most = float(self.lesson.max_score)
        by_hand = {self.lesson.checks[i]: points for i, points in given.by_hand.items() if i in self.lesson.checks}
        besides = given.besides(self.lesson.points, self.lesson.checks)
        scores = (given.score, most, manual, fresh, seconds)
        result = Result(printable(student), status, *scores, problem, where, by_hand, besides)
        self.results[student] = result
        if self.progress:
            self.progress(len(self.results), len(self.students), result)


def version_for(course: Course, lesson: str) -> str:
    """The grader version that results of a lesson carry now."""
    released = course.path("release", ".", lesson) / f"{lesson}.ipynb"
    return grader_version(released.read_bytes() + secret_of(course.root))
