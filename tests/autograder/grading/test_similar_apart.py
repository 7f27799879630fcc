"""Code is read in a process that can be killed: no text of a student keeps the report waiting, and what was not read is named."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import similar_apart
from autograder.grading.similar import formed
from autograder.grading.similar_apart import AROUND, Reader
from autograder.grading.similar_code import added_code, form
from tests.autograder.tiny_course import LONG

SOUND = {"cells": [{"id": "answer-london", "source": LONG}, {"id": "extra-001", "source": LONG}]}
WALL = 60  # seconds for a test, the start of processes on a busy machine included


@pytest.mark.parametrize("sign", [",", ";", "/", "  ;", "\t,", "\x0c/", "x = 1\r;"])
def test_lines_that_are_no_python_are_read_at_once(sign: str) -> None:
    began = time.process_time()
    assert form("def f(x):\n    return x\n" + sign + sign[-1] * 199_000).size > 3
    assert time.process_time() - began < 10
    assert form(f"a = [1\n{',' if sign == ',' else '+'} 2]").size > 3, "a line of Python may begin so"


def test_the_forms_are_those_that_this_process_would_make(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LONG.replace("attention", "mine"))
    with Reader() as reader:
        read = reader.read(SOUND, tmp_path)
    assert not read.unread and read.code == formed({"london": LONG}, added_code(SOUND, tmp_path))


@pytest.mark.parametrize("where", ["answer", "cell", "file"])
def test_a_text_that_takes_for_ever_costs_its_own_place_alone(tmp_path: Path, where: str) -> None:
    book: dict[str, Any] = {"cells": [*SOUND["cells"]]}
    slow = "def f():\n    return " + "[" * 3  # read in no time: the process is stopped instead, as any text may stop it
    if where == "file":
        (tmp_path / "notes.py").write_text(slow)
    else:
        book["cells"].append({"id": f"{'answer-slow' if where == 'answer' else 'extra-002'}", "source": slow})
    began = time.monotonic()
    with Stopped(slow) as reader:
        read = reader.read(book, tmp_path)
        again = reader.read(SOUND, tmp_path / "of another")
    name = "slow" if where == "answer" else AROUND
    assert len(read.unread) == 1 and read.unread[0].startswith(f"{name} (not read after")
    assert "london" in read.code.answers and not again.unread
    assert time.monotonic() - began < WALL


class Stopped(Reader):
    """A reader whose process stands still at one text."""

    def __init__(self, text: str) -> None:
        super().__init__(0.5, 5.0)
        self.text = text

    def _asked(self, piece: Any) -> Any:
        files = [path.read_text() for path in Path(piece.get("files", "/nowhere")).glob("*.py")]
        if self.left > 0 and self.text in [
            *piece.get("answer", ()),
            *(cell["source"] for cell in piece.get("cells", ())),
            *files,
        ]:
            self._started()
            assert self.process is not None
            os.kill(self.process.pid, signal.SIGSTOP)
        return super()._asked(piece)


def test_all_texts_of_one_student_have_one_time_together(tmp_path: Path) -> None:
    book = {"cells": [{"id": f"answer-{n}", "source": "slow"} for n in range(40)]}
    began = time.monotonic()
    with Stopped("slow") as reader:
        reader.whole = 1.5
        read = reader.read(book, tmp_path)
    assert len(read.unread) == 41 and any("no time was left" in one for one in read.unread)
    assert time.monotonic() - began < WALL


def test_a_process_that_ends_is_started_again(tmp_path: Path) -> None:
    with Reader() as reader:
        assert not reader.read(SOUND, tmp_path).unread and reader.process is not None
        reader.process.kill()
        assert len(reader.read(SOUND, tmp_path).unread) == 1, "the piece that was asked first"
        assert not reader.read(SOUND, tmp_path).unread
        left = reader.process
    assert left is not None and left.poll() is not None


def test_an_error_in_one_text_is_named_and_the_process_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(piece: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(similar_apart, "forms_of", broken)
    assert similar_apart._said({"answer": ["a", "b"]}) == {"error": "ZeroDivisionError"}
