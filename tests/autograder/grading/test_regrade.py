"""After a check was mended: only what is affected is judged, differences come first, and no person's decision is lost."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import pipeline, store
from autograder.grading.gradebook import marks
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision, Regraded, Wish, regrade, table
from autograder.grading.repair import changed_marks, changed_results
from autograder.grading.settings import Settings
from autograder.records import Check
from autograder.release.nbgrader_db import open_book
from course_utils.errors import CourseError
from tests.autograder.grading.judges import generous
from tests.autograder.tiny_course import NAME, FakeRelease, hand_in, make_release, solved

WHY = Decision("the check asked for too much", "A. Teacher")


@dataclass
class Mended(FakeRelease):
    """The same release; ``texts`` are lines added to checks."""

    texts: tuple[tuple[str, str], ...] = ()

    def checks(self, assignment: str) -> dict[str, Check]:
        added = dict(self.texts)
        return {k: replace(c, source=c.source + added.get(k, "")) for k, c in super().checks(assignment).items()}


def settings(**more: Any) -> Settings:
    return Settings(progress=False, execute=generous, **more)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three students; ben and cleo wrote ``return x`` in london."""
    top = tmp_path_factory.mktemp("term")
    release = Mended(make_release(top / "release").root)
    hand_in(top / "subs" / "ann")
    hand_in(top / "subs" / "ben", solved("return x"))
    hand_in(top / "subs" / "cleo", solved("return x", "return x + 0.5"))
    assert grade(top / "subs", release, top / "out", NAME, settings()).exit_code == 0
    (release.root / "judged.txt").unlink()
    return top.rename(top.with_name("moved"))  # where the ledger says that files lie, there is nothing now


@pytest.fixture
def term(graded: Path, tmp_path: Path) -> tuple[Mended, Path]:
    """The graded class, moved to another folder as after a restored backup."""
    for part in ("release", "subs", "out"):
        shutil.copytree(graded / part, tmp_path / part)
    return Mended(tmp_path / "release"), tmp_path / "out"


def mend(release: Mended, **texts: str) -> Mended:
    return Mended(release.root, texts=tuple(texts.items()))


def judged(release: FakeRelease) -> list[str]:
    path = release.root / "judged.txt"
    lines = sorted(path.read_text().splitlines()) if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def everything(release: FakeRelease) -> dict[str, bytes]:
    course = release.root / "instructor"
    return {str(p): p.read_bytes() for p in sorted(course.rglob("*")) if p.is_file() and p.name != ".grading.lock"}


def again(release: FakeRelease, out: Path, decision: Decision | None = None, wish: Wish = Wish()) -> Regraded:
    return regrade(release, out, NAME, settings(), wish, decision)


def test_nothing_changed_means_nothing_is_judged(term: tuple[Mended, Path]) -> None:
    release, out = term
    done = again(release, out)
    assert done.exercises == {} and done.differences == [] and judged(release) == [] and done.exit_code == 0


def test_only_the_mended_check_is_judged_and_a_preview_writes_nothing(term: tuple[Mended, Path]) -> None:
    release, out = term
    before, seeds = (
        everything(release),
        {w: s.verdict["seed"] for (_, w), s in _standings(release).items() if s.verdict},
    )
    done = again(mend(release, london="\n# x is right"), out)
    assert everything(release) == before
    assert judged(release) == sorted(f"{who}: london: {seed}" for who, seed in seeds.items())
    assert [(d.student, d.exercise, d.before, d.after, d.most) for d in done.differences] == [
        ("ben", "london", 0.0, 2.0, 2.0),
        ("cleo", "london", 0.0, 2.0, 2.0),
    ]
    lines = table(done)
    assert lines[0].split() == ["student", "exercise", "before", "after", "of", "why"]
    assert lines[1].split()[:5] == ["ben", "london", "0", "2", "2"] and "was failed (london: add one" in lines[1]


def _standings(release: FakeRelease) -> Any:
    return store.open_ledger(release).standings()


def test_what_is_applied_is_in_ledger_results_and_gradebook_once(term: tuple[Mended, Path]) -> None:
    release, out = term
    new = mend(release, london="\n# x is right")
    old = {k: store.of_ledger(release, *k, s).result for k, s in _standings(release).items()}
    done = again(new, out, WHY)
    assert len(done.differences) == 2 and done.exit_code == 0 and done.applied
    for who, points in (("ann", (2.0, 3.0)), ("ben", (2.0, 3.0)), ("cleo", (2.0, 1.5))):
        found = marks(new, NAME, who)
        assert (found["check-london"].score, found["check-paris"].score) == points
        stored = store.of_ledger(new, NAME, who, _standings(new)[(NAME, who)]).result
        assert [v.exercise for v in stored.verdicts] == ["london", "paris"]
        assert stored.verdicts[1] == old[(NAME, who)].verdicts[1] and stored.outputs == old[(NAME, who)].outputs
    entries = [e.data for e in store.open_ledger(new) if e.kind == "regrade"]
    told = [(e["student"], e["exercises"], e["reason"], e["by"]) for e in entries]  # in the order they ended
    assert sorted(told) == [(who, ["london"], WHY.reason, WHY.by) for who in ("ann", "ben", "cleo")]
    assert changed_results(new) == [] and changed_marks(new) == []
    judged(new)
    assert again(new, out, WHY).exercises == {} and judged(new) == []
    assert all(one.state == "unchanged" for one in grade(out.parent / "subs", new, out, NAME, settings()).outcomes)


def test_what_people_decided_stays_and_is_told(term: tuple[Mended, Path]) -> None:
    release, out = term
    store.open_ledger(release).override(NAME, "ben", "london", 1.5, "idea is right", "me")
    assert grade(out.parent / "subs", release, out, NAME, settings()).exit_code == 0
    with open_book(store.course_dir(release)) as book:  # in the formgrader, and no command since
        for cell, who, points in (("written-why", "ben", 0.75), ("check-london", "cleo", 0.5)):
            one = book.find_grade(cell, NAME, NAME, who)
            one.manual_score, one.needs_manual_grade = points, False
        book.db.commit()
    new = mend(release, london="\n# x is right")
    told = {d.student: d for d in again(new, out).differences}
    assert (told["ben"].by_hand, told["cleo"].by_hand) == (1.5, 0.5)
    done = again(new, out, WHY)
    assert "by hand 1.5, which stays" in "\n".join(table(done))
    assert marks(new, NAME, "ben")["check-london"].score == 1.5
    assert marks(new, NAME, "ben")["written-why"].score == 0.75 and not marks(new, NAME, "ben")["written-why"].waiting
    assert marks(new, NAME, "cleo")["check-london"].score == 0.5
    assert _standings(new)[(NAME, "ben")].verdict["result"]["verdicts"][0]["points"] == 2.0


def test_an_interrupted_run_loses_nothing_and_the_next_goes_on(
    term: tuple[Mended, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    release, out = term
    new, real = mend(release, london="\n# x is right", paris="\n# nothing is right"), pipeline.GradingRun.first

    def stopped(self: Any, tasks: Any) -> Any:
        for at, one in enumerate(real(self, tasks)):
            if at == 1:
                raise KeyboardInterrupt
            yield one

    with monkeypatch.context() as patch:
        patch.setattr(pipeline.GradingRun, "first", stopped)
        done = regrade(new, out, NAME, settings(workers=1), Wish(), WHY)
    assert done.interrupted and done.exit_code == 130 and done.left == ["ben", "cleo"]
    assert changed_results(new) == []
    assert not list(out.glob("answers-*"))
    judged(new)
    done = again(new, out, WHY)
    assert {line.split(":")[0] for line in judged(new)} == {"ben", "cleo"} and done.exit_code == 0
    assert [marks(new, NAME, who)["check-paris"].score for who in ("ann", "ben", "cleo")] == [0.0, 0.0, 0.0]
    assert [marks(new, NAME, who)["check-london"].score for who in ("ann", "ben", "cleo")] == [2.0, 2.0, 2.0]


def test_files_that_are_gone_or_changed_are_said_and_the_others_are_judged(term: tuple[Mended, Path]) -> None:
    release, out = term
    shutil.rmtree(out / "intake" / NAME / "ann")
    (out / "intake" / NAME / "ben" / "files" / "predictions.txt").write_text("Lima\n")
    done = again(mend(release, london="\n# x is right"), out)
    assert sorted(done.failed) == ["ann", "ben"] and done.exit_code == 1
    assert all("gone or changed since; give the submissions" in reason for reason in done.failed.values())
    assert [one.student for one in done.differences] == ["cleo"]


def test_an_edited_result_is_not_judged_from(term: tuple[Mended, Path]) -> None:
    release, out = term
    path = store.result_path(store.course_dir(release), NAME, "ben")
    data = json.loads(path.read_text())
    data["result"]["verdicts"][1]["points"] = 3.0
    data["result"]["notes"] = ["edited"]
    path.write_text(json.dumps(data))
    done = again(mend(release, london="\n# x is right"), out, WHY)
    assert "changed" in done.failed["ben"] and done.exit_code == 1


def test_wishes_are_heard_and_names_that_do_not_exist_refused(term: tuple[Mended, Path]) -> None:
    release, out = term
    assert again(release, out, wish=Wish(["ben"], ["paris"])).exercises == {"paris": ["ben"]}
    assert again(release, out, wish=Wish(everything=True)).exercises["london"] == ["ann", "ben", "cleo"]
    with pytest.raises(CourseError, match="zoe: no graded student"):
        again(release, out, wish=Wish(["zoe"]))
    with pytest.raises(CourseError, match="rome: no exercise of"):
        again(release, out, wish=Wish((), ["rome"]))
    with pytest.raises(CourseError, match="needs a reason"):
        Decision(" ", "me")


def test_what_is_shown_is_in_the_order_of_students(term: tuple[Mended, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    release, out = term
    real = pipeline.GradingRun.first
    monkeypatch.setattr(pipeline.GradingRun, "first", lambda self, tasks: sorted(real(self, tasks), key=_last_first))
    done = again(mend(release, london="\n# x is right", paris="\n# nothing is right"), out)
    assert done.exercises == {"london": ["ann", "ben", "cleo"], "paris": ["ann", "ben", "cleo"]}
    assert [one.student for one in done.differences] == ["ann", "ben", "ben", "cleo", "cleo"]


def _last_first(one: Any) -> int:
    return -ord(one[0].found.student[0])


def test_verdicts_without_a_fingerprint_are_judged(term: tuple[Mended, Path]) -> None:
    """Those of version 0.1: nobody knows which check they are of."""
    release, out = term
    path = store.result_path(store.course_dir(release), NAME, "ann")
    from autograder.grading.gradebook import enter

    enter(release, path.read_text(), seed=5)
    assert again(release, out).exercises == {"london": ["ann"], "paris": ["ann"]}


def test_grade_says_that_a_check_was_mended_and_keeps_the_verdicts(term: tuple[Mended, Path]) -> None:
    release, out = term
    summary = grade(out.parent / "subs", mend(release, paris="\n# nothing is right"), out, NAME, settings())
    assert [one.state for one in summary.outcomes] == ["unchanged"] * 3
    assert [note for note in summary.notes if note.startswith("the check of paris is another one since 3 hand-ins")]
