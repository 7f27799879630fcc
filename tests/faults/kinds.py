"""The kinds of faults. Each hurts one run of a grader; the office then grades once more and looks at the books."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress

from autograder.grading import store
from tests.autograder.tiny_course import NAME, FakeRelease
from tests.faults.office import STUDENTS, Books, Office

SPAN = 2.5  # seconds within which a random moment falls; office.pace() measures a run and adapts it


def kill(office: Office, rng: random.Random, whom: str, span: float) -> Books:
    """SIGKILL to the grader, or to a fork server, judge or sandbox of its, at a random moment."""
    office.new_work()
    grader = office.start()
    time.sleep(rng.uniform(0, span))
    targets = [grader]
    if whom != "grader":
        deadline = time.monotonic() + span
        while not (targets := office.victims(grader)[whom]) and time.monotonic() < deadline:
            time.sleep(0.005)
    for target in targets[:1]:
        with suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
    office.end(grader)
    return office.books()


def kill_grader(office: Office, rng: random.Random, span: float) -> Books:
    """The grader itself."""
    return kill(office, rng, "grader", span)


def kill_judge(office: Office, rng: random.Random, span: float) -> Books:
    """The process that judges one submission."""
    return kill(office, rng, "judge", span / 4)


def kill_worker(office: Office, rng: random.Random, span: float) -> Books:
    """The process that all judges are forked from."""
    return kill(office, rng, "server", span / 2)


def kill_sandbox(office: Office, rng: random.Random, span: float) -> Books:
    """A sandbox."""
    return kill(office, rng, "sandbox", span / 4)


def death_at_a_step(office: Office, rng: random.Random, span: float) -> Books:
    """The grader dies just before one of its steps that write, or in the middle of a line."""
    office.new_work()
    office.grade(**({"torn_at": rng.randint(1, 14)} if rng.random() < 0.3 else {"die_at": rng.randint(1, 90)}))
    return office.books()


def full_disk(office: Office, rng: random.Random, span: float) -> Books:
    """The disk is full from one of the steps on; then there is room again."""
    office.new_work()
    office.grade(full_from=rng.randint(1, 90), impatient=1)
    return office.books()


def small_files(office: Office, rng: random.Random, span: float) -> Books:
    """Files cannot grow beyond a size, in SQLite and in the judges too."""
    office.new_work()
    office.grade(small_files=rng.choice([0, 1000, 3000, 10_000, 50_000, 200_000, 400_000]), impatient=1)
    return office.books()


def clock_steps(office: Office, rng: random.Random, span: float) -> Books:
    """The clock jumps forwards and backwards by up to ten years during a run."""
    office.new_work()
    office.grade(clock=rng.uniform(-1, 1) * 10 * 365 * 86_400)
    return office.books()


def locked_database(office: Office, rng: random.Random, span: float) -> Books:
    """Another program holds the gradebook for a while."""
    office.new_work()
    with closing(sqlite3.connect(office.base / "release" / "instructor" / "gradebook.db", timeout=30)) as book:
        book.execute("BEGIN EXCLUSIVE")
        grader = office.start(impatient=rng.choice([1, 2]))
        time.sleep(rng.uniform(0.2, 7))
        book.rollback()
    office.end(grader)
    return office.books()


def truncated_file(office: Office, rng: random.Random, span: float) -> Books:
    """Ledger, its copy or a stored result lose their end at a random byte, after a run or after a killed one."""
    office.new_work()
    office.grade(**({"die_at": rng.randint(20, 90)} if rng.random() < 0.5 else {}))
    release = FakeRelease(office.base / "release")
    course = store.course_dir(release)
    results = [store.result_path(course, NAME, student) for student in STUDENTS]
    files = [course / "ledger.jsonl", store.copy_path(release), *results, *map(store.next_path, results)]
    path = rng.choice([one for one in files if one.exists()])
    os.truncate(path, rng.randint(0, path.stat().st_size))
    before = office.cycle
    found = office.books()
    assert office.cycle == before
    if path in results:  # work whose result is gone is judged again: that verdict is no double
        found.doubled = 0
    return found


def truncated_journal(office: Office, rng: random.Random, span: float) -> Books:
    """A program died in the middle of a transaction on the gradebook, and its journal lost its end."""
    office.new_work()
    office.grade(die_at=rng.randint(30, 90))
    book = office.base / "release" / "instructor" / "gradebook.db"
    pid = os.fork()
    if pid == 0:  # a transaction that has already written to the file
        base = sqlite3.connect(book, isolation_level=None)
        base.execute("PRAGMA cache_size = 1")
        base.execute("BEGIN")
        base.execute("UPDATE grade SET auto_score = 0")
        base.execute("UPDATE base_cell SET name = name || 'x'")
        base.execute("CREATE TABLE junk AS SELECT * FROM notebook, base_cell, grade")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    journal = book.with_name("gradebook.db-journal")
    if journal.exists():
        os.truncate(journal, rng.randint(0, journal.stat().st_size))
    return office.books()


def two_graders(office: Office, rng: random.Random, span: float) -> Books:
    """Two at once on one release: one does the work, the other says so and stops."""
    office.new_work()
    first = office.start()
    time.sleep(rng.uniform(0, span / 2))
    codes = [office.grade(), office.end(first)]
    words = office.log()
    found = office.books()
    if sorted(codes) not in ([0, 0], [0, 2]) or (2 in codes and "is grading in" not in words):
        found.changed += 1
        found.words.append(f"two graders ended with {codes}: {words[-300:]}")
    return found


KINDS: dict[str, Callable[[Office, random.Random, float], Books]] = {
    one.__name__: one
    for one in (
        *(kill_grader, kill_judge, kill_worker, kill_sandbox, death_at_a_step, full_disk, small_files, clock_steps),
        *(locked_database, truncated_file, truncated_journal, two_graders),
    )
}
KILLS = ("kill_grader", "kill_judge", "kill_worker")
