"""An interrupted race goes on where it stopped: finished turns are kept, one under way gets new students."""

from pathlib import Path

import pytest

from benchmarks import class_size, grading
from benchmarks.grading import Diary, Turn
from course_utils.errors import CourseError

ABOUT = {"notebooks": ["01"], "students": 4, "rounds": 2}


class Stopped(Exception):
    """An interruption."""


def graders(monkeypatch: pytest.MonkeyPatch, seen: list[tuple[str, list[str]]], stop_at: int) -> None:
    """Graders that note whom they get, and one of which is interrupted."""

    def grade(who: str, people: dict[str, bytes]) -> tuple[float, float, float]:
        seen.append((who, sorted(people)))
        if len(seen) == stop_at:
            raise Stopped
        return 1.0, 0.5 if who == "ours" else 5.0, 3.0

    monkeypatch.setattr(grading, "ours", lambda *given: grade("ours", given[-1]))
    monkeypatch.setattr(grading, "stock", lambda *given: grade("stock", given[-1]))


def test_a_race_goes_on_with_the_turn_that_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, seen = [], []
    monkeypatch.setattr(grading, "make_release", lambda *_, **__: made.append("release"))
    monkeypatch.setattr(grading, "stock_course", lambda *_: made.append("stock"))
    monkeypatch.setattr(grading, "hand_ins", lambda *_: {f"s{number}": b"" for number in range(4)})
    graders(monkeypatch, seen, stop_at=3)
    with pytest.raises(Stopped):
        grading.race(tmp_path, ["01"], 4, 2)
    turns = grading.race(tmp_path, ["01"], 4, 2)
    assert made == ["release", "stock"], "made once"
    assert [who for who, _ in seen] == ["ours", "stock", "stock", "stock", "ours"]
    assert seen[2][1] == ["01-s1-0", "01-s3-0"] and seen[3][1] == ["01-s1-1", "01-s3-1"], "never the same students"
    assert [(turn.grader, turn.round) for turn in turns] == [("ours", 0), ("stock", 0), ("stock", 1), ("ours", 1)]
    assert grading.summary(turns)["01"]["ratio"]["median"] == 10.0 and len(seen) == 5
    assert grading.race(tmp_path, ["01"], 4, 2) == turns and len(seen) == 5, "nothing is done twice"


def test_a_folder_of_another_race_is_refused(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "turns.jsonl", ABOUT)
    assert (diary.begin("ours", "01", 0), diary.begin("ours", "01", 0), diary.begin("stock", "01", 0)) == (0, 1, 0)
    diary.end(Turn("ours", "01", 0, 2, 1.0, 1.0, 3.0))
    again = Diary(tmp_path / "turns.jsonl", ABOUT)
    assert again.done("ours", "01", 0) and not again.done("stock", "01", 0) and again.begin("stock", "01", 0) == 1
    with pytest.raises(CourseError, match="of a race with"):
        Diary(tmp_path / "turns.jsonl", ABOUT | {"students": 5})


def test_a_class_goes_on_and_adds_up_what_was_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []

    def grade(*given):
        readings, begun = given[4], given[5]
        starts.append(begun)
        readings.append(class_size.Reading(begun + 7.0, 4 * len(starts), 100.0))
        if len(starts) == 1:
            raise KeyboardInterrupt
        return {"outcomes": []}

    monkeypatch.setattr(class_size, "grade", grade)
    # Nobody's children here, but other tests' kernels may still be ending, and it would wait half a minute for them.
    monkeypatch.setattr(class_size, "reap", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        class_size.go_on(tmp_path / "release", tmp_path, 2)
    readings, found, cpu = class_size.go_on(tmp_path / "release", tmp_path, 2)
    assert starts == [0.0, 7.0] and [(one.second, one.done) for one in readings] == [(7.0, 4), (14.0, 8)]
    assert found == {"outcomes": []} and cpu >= 0
    (tmp_path / "ready").write_text("8")
    assert class_size.prepared(tmp_path, 8) == tmp_path / "release"
    with pytest.raises(CourseError, match="holds a run with 8 students"):
        class_size.prepared(tmp_path, 9)
