"""The seed sweep runs a check again and again: one that is wrong for some seeds, and one that is slow, are found."""

import json
import shutil
from multiprocessing import active_children

import pytest

from autograder.quality import seed_sweep as room
from autograder.quality.misconceptions import public_folder
from autograder.quality.seed_sweep import exercises, report, sweep
from course_utils.errors import CourseError
from tests.paths import SAMPLE_COURSE

SAMPLE = SAMPLE_COURSE / "97_sample.py"
sandboxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    return public_folder(tmp_path_factory.mktemp("public"))


@sandboxed
def test_a_sound_check_passes_every_time(public):
    found = sweep(SAMPLE, "baseline", range(5), public, None)
    assert (found.exercise, found.runs, found.failures) == ("97_sample/baseline", 5, [])
    assert 0 < found.mean_s <= found.slowest_s


@sandboxed
def test_a_check_that_cries_wolf_is_found_with_its_seeds(public, tmp_path):
    text = SAMPLE.read_text(encoding="utf-8")
    right = "    c.close(student.baseline(["
    assert text.count(right) == 1
    flaky = tmp_path / SAMPLE.name
    flaky.write_text(text.replace(right, '    c.that(c.seed % 3 != 1, "seed of one kind")\n' + right))
    found = sweep(flaky, "baseline", range(7), public, None)
    assert [line.split(":")[0] for line in found.failures] == ["seed 1", "seed 4"] and found.runs == 7
    assert "seed of one kind" in found.failures[0]
    assert report([found])["failures"] == 2


@pytest.mark.slow
def test_the_time_given_ends_it_and_nothing_is_read_for_what_is_left(tmp_path):
    assert sweep(tmp_path / "97_unread.py", "baseline", range(1000), tmp_path, None, until=0.0).runs == 0
    left = [(SAMPLE, "baseline", range(k, k + 5)) for k in range(0, 50, 5)]
    assert list(room.sweep_all(left, 0.0, 1, progress=False)) == []
    assert active_children() == []  # its workers are gone too


def test_runs_of_an_unchanged_check_add_up(tmp_path):
    """A record goes on with seeds not yet used; a check that has changed since begins anew."""
    (first, second), seeds = exercises("07_knowledge", None)[:2], range(60)
    names = [f"{path.stem}/{name}" for path, name in (first, second)]
    done = room.SweepResult(names[0], 30, 4.5, 5.0, [], room.text_of(*first))
    changed = room.SweepResult(names[1], 40, 0.2, 0.5, [], "0" * 12)
    record = tmp_path / "seed_sweep.json"
    record.write_text(json.dumps(report([done, changed])))
    kept = room.kept_in(record)
    assert kept == {names[0]: done}
    left = room.chunks([first, second], seeds, kept)
    assert [list(s) for path, name, s in left if name == first[1]] == [
        list(range(30, 50)),
        list(range(50, 60)),
    ]  # 20 runs: 90 s
    assert [seed for _, name, s in left if name == second[1] for seed in s] == list(seeds)
    quick = room.SweepResult(names[0], 25, 0.1, 0.1, [], done.text)
    slow = room.SweepResult(names[1], 25, 3.0, 3.0, [], room.text_of(*second))
    order = [
        (name, len(s)) for _, name, s in room.chunks([second, first], range(115), {names[0]: quick, names[1]: slow})
    ]
    assert order == [(first[1], 90), (second[1], 30), (second[1], 30), (second[1], 30)]  # after 2.5, 75, 165 and 255 s
    both = done + room.SweepResult(names[0], 10, 0.6, 0.9, ["seed 31: wrong: x"], done.text)
    assert both == room.SweepResult(names[0], 40, pytest.approx(3.525), 5.0, ["seed 31: wrong: x"], done.text)
    record.write_text("[]")
    with pytest.raises(CourseError, match="no record of a seed sweep"):
        room.kept_in(record)


def test_fewer_runs_than_asked_for_is_no_success(capsys):
    short = room.SweepResult("97_sample/baseline", 10, 0.1, 0.2)
    assert room.format_report([short], 10) == 0 and room.format_report([short], 11) == 1
    assert "fewer than 11 runs so far: 1 of 1" in capsys.readouterr().out


@pytest.mark.slow  # three sweeps, each with its own sandboxes
@sandboxed
def test_the_command_keeps_a_record_and_goes_on_with_it(tmp_path, capsys):
    record = tmp_path / "seed_sweep.json"
    exercise = exercises("04_counting", None)[0][1]
    command = ["04_counting", "--exercise", exercise, "--workers", "1", "--record", str(record)]
    assert room.main([*command, "--seeds", "3"]) == 0
    first = json.loads(record.read_text())
    assert room.main([*command, "--seeds", "5"]) == 0
    assert (first["runs"], json.loads(record.read_text())["runs"]) == (3, 5)
    assert room.main([*command, "--seeds", "9", "--minutes", "0"]) == 1


def test_what_is_slow_is_named_and_what_is_unknown_refused():
    slow = room.SweepResult("97_sample/baseline", 10, mean_s=5.1, slowest_s=7.0)
    quick = room.SweepResult("97_sample/scaler", 10, mean_s=0.1, slowest_s=9.0)
    assert report([slow, quick]) | {"checks": 2} == {
        "checks": 2,
        "runs": 20,
        "failures": 0,
        "slow": ["97_sample/baseline"],
    }
    with pytest.raises(CourseError, match="nothing: 07_knowledge has no such exercise"):
        exercises("07_knowledge", "nothing")
    assert ("07_knowledge", "trust") in [(path.stem, name) for path, name in exercises(None, None)]
