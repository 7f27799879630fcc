"""The benchmark of a large class: what a tenth took is read off the readings, and everybody is graded."""

import json
import zipfile

import pytest

from autograder.release.make import make_release
from benchmarks import class_size
from benchmarks.class_size import Reading


def test_tenths_say_what_each_part_of_the_class_took():
    readings = [Reading(second, done, 100.0 + done) for second, done in ((2.0, 0), (3.0, 1), (5.0, 3), (13.0, 10))]
    rows = class_size.tenths(readings, 10)
    assert [row["seconds"] for row in rows] == [1.0, 2.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert [row["mebibytes"] for row in rows] == [101.0, 103.0, 103.0, *[110.0] * 7]


def test_no_two_hand_ins_are_equal_and_every_fifth_has_a_mistake(tmp_path):
    release = make_release(tmp_path / "release", seed=1, assignments=[class_size.NAME], source_dir=class_size.SOURCES)
    class_size.write_hand_ins(release, tmp_path / "in", 10)
    answers = []
    for path in sorted((tmp_path / "in").iterdir()):
        cells = json.loads(zipfile.ZipFile(path).read(f"{class_size.NAME}.ipynb"))["cells"]
        answers.append(next(cell["source"] for cell in cells if cell["id"] == "answer-baseline"))
    assert len(set(answers)) == 10
    assert ["set(answers)" in text for text in answers] == [number % 5 == 4 for number in range(10)]


@pytest.mark.slow
def test_a_class_is_graded_whole(tmp_path):
    assert class_size.main(["--students", "5", "--out", str(tmp_path / "found.json")]) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["graded"] == found["last"]["done"] == 5
    assert len(found["tenths"]) == 10 and all(row["mebibytes"] > 50 for row in found["tenths"])
