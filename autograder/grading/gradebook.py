"""Where trusted verdicts enter nbgrader: gradebook, formgrader and feedback keep working, student code does not run there."""

from __future__ import annotations

import copy
import functools
import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets import Bool

from autograder.grading.byhand import read_book, write_hands
from autograder.grading.copies import DISK
from autograder.grading.inbox import ENTERING, entering, settle_copy
from autograder.grading.marks import Mark, answers, unanswered
from autograder.grading.standing import Hand
from autograder.grading.store import (
    ROSTER,
    ReleaseLike,
    Stored,
    course_dir,
    load_stored,
    next_path,
    open_ledger,
    result_path,
    save,
    sha256,
    stored_json,
    vouched,
    write_atomic,
)
from autograder.intake.discover import Found, Intake, take_in
from autograder.intake.names import first_last, look
from autograder.intake.rebuild import notebook_sha
from autograder.intake.roster import read_roster
from autograder.pages.export import inert_notebook
from autograder.pages.inert import inert_data, inert_name, inert_output
from autograder.records import Job, Result, Verdict, in_points
from autograder.release.nbgrader_db import database_dir, open_api, open_book, quiet_nbgrader
from autograder.release.prints import fingerprints
from autograder.release.read import load_release
from course_utils.errors import CourseError

HIDDEN = re.compile(r"^[ \t]*### BEGIN (HIDDEN TESTS|MARK SCHEME|SOLUTION).*?^[ \t]*### END \1[ \t]*\n?", re.M | re.S)


class GradebookError(CourseError):
    """nbgrader's gradebook does not say what the judge said."""


# ---- the two preprocessors that nbgrader_config.py names -------------------------------------------------------------


class TrustedExecute(Execute):
    """A replacement of nbgrader's Execute that writes stored verdicts into the check cells instead of running them.

    Where there is no stored result for exactly this notebook, the submission goes through intake and the sandboxed judge;
    without a sandbox it is refused. A check without a verdict never passes: it stops the submission.
    """

    execute_missing = Bool(default_value=True, help="Whether to judge a submission that has no stored result.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: Any, km: Any = None) -> tuple[NotebookNode, Any]:
        """Fill the outputs of ``nb`` in place; raises CourseError if there is nothing to trust."""
        place = resources["nbgrader"]
        course = database_dir(place["db_url"])
        # intake makes written answers inert; what lies in submitted/ may have come there without it
        shas = (notebook_sha(nb), notebook_sha(inert_notebook(copy.deepcopy(nb))))
        stored = vouched(course, place["assignment"], place["student"], shas) or self._judge(course, place, shas)
        write_outputs(nb, stored.result)
        return nb, resources

    def _judge(self, course: Path, place: Mapping[str, str], shas: Sequence[str]) -> Stored:
        student, assignment = place["student"], place["assignment"]
        if not self.execute_missing:
            raise GradebookError(f"{student}: no stored result for this notebook; run python -m autograder grade")
        if shutil.which("bwrap") is None:
            raise GradebookError(f"{student}: no stored result, and no sandbox to make one; install bubblewrap")
        release = load_release(course.parent)
        found = Found(student, course / "submitted" / student / assignment)
        stored = judge(release, found, assignment, course / "intake" / assignment / student)
        if stored.intake.notebook_sha not in shas:
            raise GradebookError(f"{student}: nbgrader holds another notebook than the one handed in; grade it again")
        prints = fingerprints(release, assignment)
        return enter(release, stored_json(stored.result, stored.intake), checks=prints)


class StripHidden(NbGraderPreprocessor):
    """For generate_feedback: check cells show their visible text, tracebacks their last line, students' markup its text."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Clean every cell of ``nb`` in place."""
        for cell in nb.cells:
            if cell.cell_type == "code":
                locked = is_grade(cell) and not is_solution(cell)
                cell.source = visible_text(cell.source) if locked else cell.source
                cell.outputs = [clean_output(output) for output in cell.outputs if _is_safe(output)]
            elif is_solution(cell):
                cell.source = fenced(cell.source)
                cell.pop("attachments", None)
        return nb, resources


def visible_text(source: str) -> str:
    """A check cell without its hidden parts; if a mark is out of order nothing of it is shown."""
    text = HIDDEN.sub("", source)
    return "# The text of this check is not shown." if re.search(r"### (BEGIN|END) ", text) else text


def fenced(text: str) -> str:
    """Student markdown as a code block: nbconvert cleans outputs but not markdown, so no markup may be left in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _is_safe(output: Mapping[str, Any]) -> bool:
    return output["output_type"] in ("stream", "error") or bool(inert_data(output.get("data", {})))


def clean_output(output: Mapping[str, Any]) -> NotebookNode:
    """An output without active content, metadata and stack."""
    kind = output["output_type"]
    if kind == "stream":
        return from_dict({"output_type": kind, "name": "stdout", "text": _text(output.get("text"))})
    if kind == "error":
        name, value = _text(output.get("ename")), _text(output.get("evalue"))
        line = f"{name}: {value}" if name != "CheckFailed" else value
        return from_dict({"output_type": kind, "ename": name, "evalue": value, "traceback": [line]})
    return from_dict(inert_output(output) | ({"execution_count": None} if kind == "execute_result" else {}))


def _text(value: Any) -> str:
    text = "".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return text.encode("utf-8", "replace").decode()


# ---- verdicts as outputs ---------------------------------------------------------------------------------------------


def write_outputs(nb: NotebookNode, result: Result) -> None:
    """Put verdicts into the check cells so that nbgrader's own rule gives exactly their points.

    Raises:
        GradebookError: a check without a verdict, or points that do not fit the gradebook's.
    """
    verdicts = {f"check-{v.exercise}": v for v in result.verdicts}
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        if not is_grade(cell) or is_solution(cell):
            cell.outputs = [clean_output(o) for o in result.outputs.get(cell.get("id", ""), []) if _is_safe(o)]
            continue
        key = cell.metadata.nbgrader["grade_id"]
        if key not in verdicts:
            raise GradebookError(f"{result.student}: the judge gave no verdict for {key}; grade this submission again")
        cell.outputs = verdict_outputs(verdicts[key], float(cell.metadata.nbgrader["points"]))
        got, _ = determine_grade(cell)
        if got != verdicts[key].points:
            raise GradebookError(f"{result.student}: nbgrader reads {got} points for {key}, not {verdicts[key].points}")


def verdict_outputs(verdict: Verdict, points: float) -> list[NotebookNode]:
    """The outputs of one check cell: a number for points earned, an error with the hint for none."""
    if verdict.max_points != points or not 0 <= verdict.points <= points:
        wrong = f"{verdict.points:g} of {in_points(verdict.max_points)} where the gradebook has {points:g}"
        raise GradebookError(f"check-{verdict.exercise}: {wrong}; the release and its gradebook do not belong together")
    if verdict.points > 0 or points == 0:
        words = f"{verdict.status}: {verdict.points:g} of {in_points(points)}. {verdict.hint}".strip() + "\n"
        return [
            from_dict({"output_type": "stream", "name": "stdout", "text": words}),
            from_dict({"output_type": "execute_result", "data": {"text/plain": repr(float(verdict.points))}, "metadata": {},
                       "execution_count": None}),
        ]  # fmt: skip
    hint = verdict.hint or f"no points: {verdict.status}"
    return [from_dict({"output_type": "error", "ename": "CheckFailed", "evalue": hint, "traceback": [hint]})]


# ---- judging one submission ------------------------------------------------------------------------------------------


def make_job(release: ReleaseLike, intake: Intake, seed: int | None = None) -> Job:
    """What the judge needs, from the release and what was taken in."""
    root, name = Path(release.root).resolve(), intake.assignment
    checks = release.checks(name)
    folders = (root / "student", root / "private" / name)
    return Job(intake.student, name, intake.notebook, intake.files, checks, *folders, seed)


def judge(release: ReleaseLike, found: Found, assignment: str, dest: Path, seed: int | None = None) -> Stored:
    """Take in and judge one submission in this process."""
    from autograder.judge.execute import execute  # it imports torch: only where something is judged

    intake = take_in(found, assignment, release.skeleton(assignment), dest)
    return Stored(execute(make_job(release, intake, seed)), intake)


def enter(release: ReleaseLike, text: str, **more: Any) -> Stored:
    """Keep a result and enter it in the ledger; a crash in between leaves it done or not begun (``store.settle``).

    Args:
        text: the result, as ``stored_json`` made it.
        more: what else the ledger's entry shall say.

    Raises:
        CourseError: it cannot be written, or is no result.
    """
    intake = json.loads(text)["intake"]
    path = result_path(course_dir(release), intake["assignment"], intake["student"])
    write_atomic(next_path(path), text)
    stored = load_stored(next_path(path))
    log_verdict(release, stored, {"stored": sha256(text), **more})
    next_path(path).replace(path)
    return stored


def log_verdict(release: ReleaseLike, stored: Stored, more: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Enter a hand-in and its verdicts in the ledger (outputs and notebook stay in the stored result)."""
    intake, result = stored.intake, stored.result
    ledger = open_ledger(release)
    ledger.append("intake", **intake.to_json())
    slim = {k: v for k, v in result.to_json().items() if k != "outputs"}
    who = {"student": intake.student, "assignment": intake.assignment}
    seeds = {v.exercise: v.seed for v in result.verdicts}
    about: dict[str, Any] = {
        "sha256": intake.sha256,
        "release": release.id,
        "seeds": seeds,
        "answers": answers(intake.notebook),
        "copies": "signed",
    }
    if unanswered(intake.notebook, release.skeleton(intake.assignment)):
        about["empty"] = True
    ledger.append("verdict", **who, **about, result=slim, **more)


# ---- nbgrader --------------------------------------------------------------------------------------------------------


def record(
    release: ReleaseLike,
    result: Result,
    intake: Intake,
    hands: Mapping[str, Hand] | None = None,
) -> list[str]:
    """Replay one result into nbgrader, and make sure the gradebook says what the judge said.

    Args:
        hands: what people decided, by cell id, as the ledger has it; by default it stays as the gradebook has it.

    Returns:
        A sentence where ``submitted/`` has no copy of it, since something waits there.

    Raises:
        GradebookError: nbgrader failed, or its scores are not the verdicts'.
        CourseError: another program holds the gradebook.
    """
    course, key = course_dir(release), (intake.assignment, intake.student)
    if hands is None:
        before = read_book(course / "gradebook.db", intake.student).cells.get(key, {})
        hands = {name: cell.hand for name, cell in before.items()}
    path = result_path(course, intake.assignment, intake.student)
    if not path.exists() or load_stored(path) != Stored(result, intake):
        save(course, result, intake)
    with entering(release, intake) as copy:
        with quiet_nbgrader():
            api = open_api(course, ENTERING)
            answer = api.autograde(intake.assignment, intake.student, force=True, create=True)
        if not answer["success"]:
            reason = _reason(answer)
            raise GradebookError(f"{intake.student}: nbgrader could not enter the result ({reason}); see {course}")
        told = settle_copy(release, intake, copy)
    write_hands(course / "gradebook.db", key, hands)
    with open_book(course) as book:
        _verify(book, result, intake)
        _enter_name(book, course, intake)
    return told


def _enter_name(book: Gradebook, course: Path, intake: Intake) -> None:
    """Give the student the name that the class list or else the platform has; the formgrader lists it."""
    listed = listed_names(course / ROSTER)
    name = inert_name(listed.get(intake.student) or intake.name)
    first, last = first_last(name)
    if look(name) in _looks_twice(tuple(listed.values())):
        last = f"{last} ({intake.student})"
    if name and name != intake.student:
        book.update_or_create_student(intake.student, first_name=first, last_name=last)


def listed_names(path: Path) -> Mapping[str, str]:
    """Names by id from a class list; none where there is no list, or none that can be read."""
    try:
        return _names(path, path.stat().st_mtime_ns)
    except (OSError, CourseError):  # what is wrong with it is said where it is needed
        return {}


@functools.lru_cache(maxsize=4)
def _names(path: Path, changed: int) -> Mapping[str, str]:
    return read_roster(path).names


@functools.lru_cache(maxsize=4)
def _looks_twice(names: tuple[str, ...]) -> frozenset[str]:
    """The looks of names that two people of a class list have. Kept, since everybody's name is compared with all."""
    return frozenset(one for one, count in Counter(map(look, names)).items() if count > 1)


def _reason(answer: Mapping[str, Any]) -> str:
    """The line of nbgrader's log that says what went wrong."""
    if disk := DISK.search(answer.get("log") or ""):  # nbgrader then says that its database is of another version
        return f"{disk[0]}; make room on the disk"
    lines = [line for line in (answer.get("log") or answer.get("error") or "").splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"^[\w.]*(Error|Exception|Entry)\b", line)]
    return (named or lines or ["no reason given"])[-1][:300]


def _grade(book: Gradebook, intake: Intake, exercise: str) -> Any:
    try:
        return book.find_grade(f"check-{exercise}", intake.assignment, intake.assignment, intake.student)
    except MissingEntry as error:
        raise GradebookError(
            f"{intake.student}: the gradebook has no check-{exercise}; make the release again"
        ) from error


def _verify(book: Gradebook, result: Result, intake: Intake) -> None:
    for verdict in result.verdicts:
        grade = _grade(book, intake, verdict.exercise)
        if grade.auto_score != verdict.points or grade.max_score != verdict.max_points:
            got = f"{grade.auto_score} of {grade.max_score}"
            raise GradebookError(
                f"{intake.student}: the gradebook says {got} for {verdict.exercise}, the judge {verdict.points:g}"
            )


def marks(release: ReleaseLike, assignment: str, student: str) -> dict[str, Mark]:
    """Marks of a student by grade id (``check-london``, ``written-why``); empty before anything was recorded."""
    course = course_dir(release)
    if not (course / "gradebook.db").exists():
        return {}
    with open_book(course) as book:
        try:
            notebook = book.find_submission_notebook(assignment, assignment, student)
        except MissingEntry:
            return {}
        comments = {comment.name: comment.comment or "" for comment in notebook.comments}
        return {
            g.name: Mark(float(g.score or 0), float(g.max_score), comments.get(g.name, ""), bool(g.needs_manual_grade))
            for g in notebook.grades
        }
