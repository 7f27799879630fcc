"""Merging of two ids that are one person, and its undoing; every mark, verdict and line of the ledger is kept."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from autograder.grading.byhand import collect, forget
from autograder.grading.entering import enter_student
from autograder.grading.identities import People
from autograder.grading.ledger import Ledger, Standing
from autograder.grading.lock import alone
from autograder.grading.regrade import Decision
from autograder.grading.removal import drop_from_gradebook, move_aside, places_of
from autograder.grading.repair import note_in_gradebook
from autograder.grading.store import (
    ROSTER,
    ReleaseLike,
    aside_path,
    course_dir,
    keep_aside,
    of_ledger,
    open_ledger,
    result_path,
    settle,
    stored_json,
    write_atomic,
)
from autograder.intake.names import require_id
from autograder.intake.roster import read_roster
from course_utils.errors import CourseError


def merge(
    release: ReleaseLike,
    kept: str,
    other: str,
    decision: Decision,
    keep: Mapping[str, str] = MappingProxyType({}),
    pages: Sequence[Path] = (),
) -> list[str]:
    """Let ``other`` be another id of ``kept``, in all assignments. What is interrupted is completed by the same call.

    Args:
        keep: assignment to the id whose hand-in counts, where both handed in.
        pages: pages that were written about ``other``; those that are there are moved aside.

    Returns:
        What counts now, a sentence for each assignment.

    Raises:
        CourseError: what is no id, an unknown one, ids that are merged otherwise, both handed in one assignment and it is not
            said which counts, or somebody is grading.
    """
    for one in (kept, other):
        require_id(one)
    with alone(course_dir(release)):
        ledger = open_ledger(release)
        people = ledger.people()
        if people.identities.into.get(other) != kept:
            _require_mergeable(release, people, kept, other, keep)
            _require_results(release, people, (kept, other))
            collect(release, decision.by)
            data = {"student": other, "into": kept, "keep": dict(keep)}
            ledger.append("merged", **data, reason=decision.reason, by=decision.by)
        else:
            _require_same_choice(people, kept, other, keep)
        _complete(release, ledger, (kept, other), pages)
        return _told(ledger.people(), kept, other) + _of_list(release, kept, other)


def part(
    release: ReleaseLike,
    kept: str,
    other: str,
    decision: Decision,
    whose: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Undo :func:`merge`: each id has what came under it, before the merge and since, as if there had been none.

    Args:
        whose: assignment to the id that its hand-ins since the merge came under, where the ledger does not say it: an
            earlier version wrote them.

    Raises:
        CourseError: they are not merged, ``kept`` is itself merged into another id, it is not said whose something is that
            an earlier version took in, a stored result is gone, or somebody is grading. Nothing is changed then.
    """
    for one in (kept, other):
        require_id(one)
    with alone(course_dir(release)):
        ledger = open_ledger(release)
        people = ledger.people()
        if people.identities.into.get(other) == kept:
            _require_partable(people, kept, other, whose)
            data = {"student": other, "into": kept, **({"whose": dict(whose)} if whose else {})}
            _require_results(release, people, (kept,))
            _require_both(release, ledger, data)
            collect(release, decision.by)
            ledger.append("unmerged", **data, reason=decision.reason, by=decision.by)
        elif not any(
            one.kind == "unmerged" and (one.data["student"], one.data["into"]) == (other, kept) for one in ledger
        ):
            raise CourseError(f"{other} is not merged into {kept}; there is nothing to undo")
        _complete(release, ledger, (other, kept))
        return [f"{other} and {kept} are two people again"]


def _require_known(release: ReleaseLike, people: People, kept: str) -> None:
    """A mistyped id would be a new person."""
    course = course_dir(release)
    listed = read_roster(course / ROSTER).names if (course / ROSTER).exists() else {}
    if kept not in listed and kept not in {who for _, who in people.table}:
        raise CourseError(f"{kept}: neither in the ledger nor on the class list; look into the report")


def _require_results(release: ReleaseLike, people: People, ids: Sequence[str]) -> None:
    """Nothing is written before it is known that it can be completed. Raises CourseError for a result that is gone."""
    for (name, who), one in sorted(people.table.items()):
        if who in ids and one.verdict:
            _find_result(course_dir(release), name, who, one)
            of_ledger(release, name, who, one)


def _require_both(release: ReleaseLike, ledger: Ledger, undone: Mapping[str, Any]) -> None:
    """Raise CourseError for a result that would be missing after an undoing; nothing is written."""
    after = ledger.people()
    after.apply("unmerged", dict(undone))
    for (name, who), one in sorted(after.table.items()):
        if one.verdict and who in (undone["student"], undone["into"]):
            try:
                of_ledger(release, name, who, one)
            except CourseError as error:
                raise CourseError(
                    f"{who}: the result of {name} was not kept when the other id handed in; judge that hand-in once more "
                    f"(python -m autograder grade with it alone, and --again), then undo"
                ) from error


def _require_same_choice(people: People, kept: str, other: str, keep: Mapping[str, str]) -> None:
    counts = {one.assignment: other if one.moved else kept for one in people.meetings.get(other, [])}
    for name, who in keep.items():
        if counts.get(name) != who:
            raise CourseError(
                f"{other} is merged into {kept} already, with another choice for {name}; --undo that first"
            )


def _require_mergeable(release: ReleaseLike, people: People, kept: str, other: str, keep: Mapping[str, str]) -> None:
    if kept == other:
        raise CourseError(f"{kept}: one id cannot be merged with itself; give two")
    for one in (kept, other):
        if one in people.identities.into:
            raise CourseError(f"{one}: is merged into {people.identities.into[one]}; undo that first, or give that id")
    _require_known(release, people, kept)
    if other not in {who for _, who in people.table}:
        raise CourseError(f"{other}: the ledger has no such student; look into the report")
    both = people.both(kept, other)
    wrong = sorted(name for name, one in keep.items() if name not in both or one not in (kept, other))
    if wrong:
        raise CourseError(
            f"--keep {wrong[0]}={keep[wrong[0]]}: give an assignment that both handed in, and one of the two ids"
        )
    if open_ := [name for name in both if name not in keep]:
        raise CourseError(
            f"{kept} and {other} both handed in {' and '.join(open_)}; say whose counts: --keep {open_[0]}={kept}, "
            f"or ={other}. The other one stays in the ledger"
        )


def _require_partable(people: People, kept: str, other: str, whose: Mapping[str, str]) -> None:
    if kept in people.identities.into:
        raise CourseError(f"{kept}: is itself merged into {people.identities.into[kept]}; undo that first")
    unsure = people.unsure(kept, other)
    wrong = sorted(name for name, one in whose.items() if name not in unsure or one not in (kept, other))
    if wrong:
        raise CourseError(
            f"--keep {wrong[0]}={whose[wrong[0]]}: with --undo it is needed only where the ledger does not say which of the "
            f"two ids handed in, here {' and '.join(unsure) or 'nowhere'}; leave it out"
        )
    if open_ := [name for name in unsure if name not in whose]:
        raise CourseError(
            f"{kept} handed in {' and '.join(open_)} since the merge, and this ledger of an earlier version does not say for "
            f"which of the two ids; look into the hand-in and say it: --undo --keep {open_[0]}={kept}, or ={other}"
        )


def _complete(release: ReleaseLike, ledger: Ledger, ids: Sequence[str], pages: Sequence[Path] = ()) -> None:
    """Make results, gradebook and nbgrader's folders those of the ledger, one id after the other: the first may need what
    lies under the second.
    """
    table, course = ledger.people().table, course_dir(release)
    for name in sorted({name for name, _ in table}):
        for who in ids:
            standing = table.get((name, who), Standing())
            if not standing.verdict:
                _drop(release, name, who)
                continue
            _find_result(course, name, who, standing)
            if standing.verdict["student"] != who:
                _under_id(release, name, who, standing, ledger.people().owner(name, who))
            if not standing.recorded:
                enter_student(release, name, who)
    for number, page in enumerate(page for page in pages if page.exists()):
        aside = course / "removed" / f"pages-{ids[-1]}"
        aside.mkdir(parents=True, exist_ok=True)
        shutil.move(page, aside / f"{page.parent.name}-{number}{page.suffix}")
    note_in_gradebook(release)


def _find_result(course: Path, name: str, who: str, standing: Standing) -> None:
    """Finish what a crash interrupted, and put back a result of this id that another one took the place of."""
    verdict = standing.verdict or {}
    path, digest = result_path(course, name, verdict["student"]), verdict.get("stored", "")
    if verdict["student"] == who and not settle(path, digest) and aside_path(path, digest).exists():
        keep_aside(path)
        write_atomic(path, aside_path(path, digest).read_bytes())


def _under_id(release: ReleaseLike, name: str, who: str, standing: Standing, owner: str) -> None:
    """Keep the result and enter its verdicts under the id that counts; the work is the same, so marks stay.

    Args:
        owner: the id that the hand-in came under.
    """
    from autograder.grading.gradebook import enter

    stored, verdict = of_ledger(release, name, who, standing), standing.verdict or {}
    keep_aside(result_path(course_dir(release), name, who))
    shown = who if stored.intake.name == stored.intake.student else stored.intake.name
    intake = replace(stored.intake, student=who, name=shown, came_as=owner)
    text = stored_json(replace(stored.result, student=who), intake)
    enter(release, text, **{key: verdict[key] for key in ("seed", "checks") if key in verdict})


def _drop(release: ReleaseLike, name: str, who: str) -> None:
    """Take what nbgrader has of an id that has nothing in the ledger; results stay, so that a merge can be undone."""
    if places_of(release, name, who):
        course = course_dir(release)
        drop_from_gradebook(course, name, who)
        forget(course / "gradebook.db", name, who)
        move_aside(release, name, who, results=False)


def _told(people: People, kept: str, other: str) -> list[str]:
    lines = [f"{other} is {kept} from now on, in report, exports, class list and later submissions"]
    for one in people.meetings.get(other, []):
        if one.mine is None or not one.mine.verdict or not one.theirs.verdict:
            lines.append(f"{one.assignment}: what {other} handed in counts for {kept}")
        else:
            winner, loser = (other, kept) if one.moved else (kept, other)
            lines.append(
                f"{one.assignment}: both handed in; that of {winner} counts, that of {loser} stays in the ledger"
            )
    return lines


def _of_list(release: ReleaseLike, kept: str, other: str) -> list[str]:
    """What the class list says of the id that goes, and counts for the person."""
    path = course_dir(release) / ROSTER
    if not path.exists():
        return []
    roster, lines = read_roster(path), []
    theirs = {column: roster.value(other, column) for column in ("extension", "excused", "section")}
    mine = {column: roster.value(kept, column) for column in theirs}
    if theirs["extension"]:
        lines.append(
            f"class list: {other} has the extension {theirs['extension']}, {kept} {mine['extension'] or 'none'}; of the two "
            "due times the later one counts"
        )
    if theirs["excused"]:
        lines.append(f"class list: {other} is excused ({theirs['excused']}); that counts for {kept}, too")
    if theirs["section"] and theirs["section"] != mine["section"]:
        section = f"that of {kept}, {mine['section']}, counts" if mine["section"] else f"it counts for {kept}"
        lines.append(f"class list: {other} is in section {theirs['section']}; {section}")
    return lines
