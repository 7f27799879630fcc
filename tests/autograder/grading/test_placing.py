"""One folder takes another's place: whoever looks, and whoever is killed, finds the old one or the new one."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.grading import placing

TURNS = """
import sys
from pathlib import Path
from autograder.grading.placing import put
place, turn = Path(sys.argv[1]), 0
while True:
    turn += 1
    new = place.with_name(".new")
    if not new.exists():
        new.mkdir()
    for name in ("weights", "answer"):
        (new / name).write_text(str(turn))
    if turn == 1:
        print("ready", flush=True)
    put(new, place)
"""


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "answer").write_text(text)
    return path


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


@pytest.fixture(params=[True, False], ids=["exchange", "no exchange"])
def _file_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(placing, "exchanged", lambda one, other: False)


@pytest.mark.usefixtures("_file_system")
def test_the_new_one_stands_and_the_old_one_goes(tmp_path: Path) -> None:
    place = folder(tmp_path / "ben", "old")
    placing.put(folder(tmp_path / ".ben.new", "new"), place)
    assert (place / "answer").read_text() == "new" and names(tmp_path) == ["ben"]


def test_an_empty_place_is_taken(tmp_path: Path) -> None:
    placing.put(folder(tmp_path / ".ben.new", "new"), tmp_path / "ben")
    assert (tmp_path / "ben" / "answer").read_text() == "new"


@pytest.mark.usefixtures("_file_system")
def test_without_a_new_one_the_old_one_stands(tmp_path: Path) -> None:
    place = folder(tmp_path / "ben", "old")
    with pytest.raises(OSError):
        placing.put(tmp_path / ".ben.new", place)
    assert (place / "answer").read_text() == "old" and names(tmp_path) == ["ben"]


def test_where_names_cannot_be_exchanged_a_kill_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "exchanged", lambda one, other: False)
    place = folder(tmp_path / "ben", "old")
    place.rename(tmp_path / ".ben.old")  # where a kill between the two moves leaves it
    with pytest.raises(OSError):
        placing.put(tmp_path / ".ben.new", place)
    assert (place / "answer").read_text() == "old"
    placing.put(folder(tmp_path / ".ben.new", "new"), place)
    assert (place / "answer").read_text() == "new" and names(tmp_path) == ["ben"]


def test_a_kill_leaves_one_of_the_two(tmp_path: Path) -> None:
    place = folder(tmp_path / "ben", "0")
    (place / "weights").write_text("0")
    for number in range(12):
        process = subprocess.Popen([sys.executable, "-c", TURNS, place], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline()
        time.sleep(0.002 + 0.0007 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert names(place) == ["answer", "weights"]
        assert (place / "answer").read_text() == (place / "weights").read_text() != ""
