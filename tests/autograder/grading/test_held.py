"""A gradebook that another program holds: nothing waits for ever."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from autograder.grading.database import copy_book, keep, kept_path


def test_a_gradebook_that_is_held_is_not_waited_for(tmp_path: Path) -> None:
    book = tmp_path / "gradebook.db"
    with closing(sqlite3.connect(book, isolation_level=None)) as other:
        other.execute("CREATE TABLE grade (points)")
        keep(book)
        other.execute("INSERT INTO grade VALUES (3)")
        before = kept_path(book).read_bytes()
        other.execute("BEGIN EXCLUSIVE")
        keep(book)
        assert kept_path(book).read_bytes() == before
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            copy_book(book, tmp_path / "copy.db")
        other.execute("ROLLBACK")
        keep(book)
    with closing(sqlite3.connect(kept_path(book))) as copy:
        assert copy.execute("SELECT points FROM grade").fetchall() == [(3,)]
