"""A class on paper: parts that grow with the class, and one that grows with its square."""

import json

import pytest

from benchmarks import at_scale, class_size
from benchmarks.class_size import Reading
from benchmarks.paths import RESULTS
from course_utils.errors import CourseError

SIZES = {"handed_in": 4_000, "ledger": 3_000, "results": 20_000, "notebooks": 30_000, "gradebook": 10_000}
FOUND = {
    "students": 1000, "cpu_seconds": 2100.0, "own_cpu_seconds": 100.0, "entering_halves": [90.0, 110.0],
    "bytes_per_hand_in": SIZES, "mebibytes_per_worker": 500.0, "last": {"mebibytes": 200.0},
}  # fmt: skip


def test_costs_of_a_hand_in_give_the_measured_class_back():
    one = at_scale.costs(FOUND)
    assert (one.judging, one.stored, one.moved) == (2.0, 66_000, 24_000)
    for part, seconds in ((500, 90.0), (1000, 200.0)):  # the first half, and all
        assert at_scale.estimate(one, part, 1, 0.0).entering_hours * 3600 == pytest.approx(seconds)


def test_a_hundred_thousand_are_bounded_by_the_one_process_that_writes():
    one = at_scale.costs(FOUND)
    few, many = (at_scale.estimate(one, 100_000, workers, 0.05) for workers in (2, 2000))
    assert few.judging_core_hours == many.judging_core_hours == pytest.approx(200_000 / 3600)
    assert few.price == pytest.approx(2.78, abs=0.01) and few.stored_gb == pytest.approx(6.6)
    assert many.memory_gb == pytest.approx((2000 * 500 + 200) * 2**20 / 1e9)
    # 100 times the class: 10,000 times the part that grows with the square
    assert few.entering_hours == many.entering_hours == pytest.approx((0.16 * 1e5 + 4e-5 * 1e10) / 3600)
    assert (few.bottleneck, many.bottleneck) == ("the gradebook", "the gradebook")
    linear = at_scale.costs(FOUND | {"entering_halves": [100.0, 90.0]})
    assert linear.growth == 0 and at_scale.estimate(linear, 100_000, 2, 0.05).bottleneck == "judging"
    text = at_scale.table(one, 100_000, [2, 2000], 0.05)
    assert "| 2 | 27.8 h |" in text and "100,000 hand-ins: 56 core hours (3 at 0.05 an hour), 6.6 GB stored" in text


def test_an_older_file_or_none_is_a_sentence(tmp_path, capsys):
    with pytest.raises(CourseError, match="has no own_cpu_seconds; measure again"):
        at_scale.costs({"students": 3, "cpu_seconds": 1.0})
    assert at_scale.main(["--measured", str(tmp_path / "none.json")]) == 2
    assert "python -m benchmarks.class_size" in capsys.readouterr().err


def test_the_two_halves_are_read_off_the_readings():
    rows = [(0, 0, 0), (10, 4, 0), (20, 10, 0), (24, 10, 5), (32, 10, 10), (33, 10, 10)]
    readings = [Reading(second, done, 100.0, entered) for second, done, entered in rows]
    assert class_size.entering(readings, 10) == [4, 8]


@pytest.mark.skipif(
    not (RESULTS / "class_size.json").exists(), reason="not measured yet: python -m benchmarks.class_size"
)
def test_the_measured_class_can_be_read():
    found = json.loads((RESULTS / "class_size.json").read_text())
    one = at_scale.costs(found)
    assert one.judging > 0 and one.entering > 0 and one.stored > 1000 and one.worker > 50
