"""The soak runs a check again and again: one that cries wolf for some seeds is found, and so is one that is slow."""

import shutil
from pathlib import Path

import pytest

from autograder import soak as room
from autograder.mutants import public_folder
from autograder.soak import exercises, report, soak
from course_utils.errors import CourseError

SAMPLE = Path(__file__).parent / "sample_course" / "97_sample.py"
boxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    return public_folder(tmp_path_factory.mktemp("public"))


@boxed
def test_a_sound_check_passes_every_time(public):
    found = soak(SAMPLE, "baseline", range(5), 1.0, public, None)
    assert (found.exercise, found.runs, found.failures) == ("97_sample/baseline", 5, [])
    assert 0 < found.mean_s <= found.slowest_s


@boxed
def test_a_check_that_cries_wolf_is_found_with_its_seeds(public, tmp_path):
    text = SAMPLE.read_text(encoding="utf-8")
    right = "    c.close(student.baseline(["
    assert text.count(right) == 1
    flaky = tmp_path / SAMPLE.name
    flaky.write_text(text.replace(right, '    c.that(c.seed % 3 != 1, "seed of one kind")\n' + right))
    found = soak(flaky, "baseline", range(7), 1.0, public, None)
    assert [line.split(":")[0] for line in found.failures] == ["seed 1", "seed 4"] and found.runs == 7
    assert "seed of one kind" in found.failures[0]
    assert report([found])["failures"] == 2


@boxed
def test_the_time_given_ends_it(public):
    assert soak(SAMPLE, "baseline", range(1000), 0.0, public, None).runs == 0


def test_what_is_slow_is_named_and_what_is_unknown_refused():
    slow = room.Soaked("97_sample/baseline", 10, mean_s=5.1, slowest_s=7.0)
    quick = room.Soaked("97_sample/scaler", 10, mean_s=0.1, slowest_s=9.0)
    assert report([slow, quick]) | {"checks": 2} == {
        "checks": 2,
        "runs": 20,
        "failures": 0,
        "slow": ["97_sample/baseline"],
    }
    with pytest.raises(CourseError, match="no check nothing"):
        exercises("07_knowledge", "nothing")
    assert ("07_knowledge", "trust") in [(path.stem, name) for path, name in exercises(None, None)]
