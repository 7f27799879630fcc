"""Damaged zip archives of every kind of packing, through the unpacking of one hand-in and of a whole class."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.archive import unzip
from autograder.intake.classzip import unzip_class
from course_utils.errors import CourseError

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
STUDENTS = ("anna", "bob", "carl")
NAME = "04_counting.ipynb"
NUMBERS = (0, 1, 6, 8, 9, 12, 14, 19, 20, 95, 99, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)
NAMES = ("", "/", ".", "..", "a", "a/b", "\0", "é", "x" * 300, NAME)
RECORDS = (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")


@dataclass(frozen=True)
class Zip:
    """One case.

    Attributes:
        data: the archive, damaged.
        victim: the only student whose entry was damaged; empty where the damage may be anywhere.
        whole: whether it is a class's.
    """

    data: bytes
    whole: bool = False
    victim: str = ""


def content(student: str) -> dict[str, bytes]:
    """Two files of some kilobytes."""
    rng = random.Random(student)
    cells = [{"cell_type": "code", "source": f"x = {rng.random()}"} for _ in range(60)]
    return {NAME: json.dumps({"cells": cells}).encode(), "work/p.txt": student.encode() * 300}


def archive(rng: random.Random, students: tuple[str, ...], name: str | None = None) -> tuple[bytes, dict[str, range]]:
    """A sound zip, packed by methods drawn for each entry, and the bytes that each student's first entry takes.

    Args:
        name: of one further entry.
    """
    buffer = io.BytesIO()
    places: dict[str, range] = {}
    with zipfile.ZipFile(buffer, "w") as out:
        for student in students:
            begin = buffer.tell()
            for one, data in content(student).items():
                out.writestr(zipfile.ZipInfo(f"{student}/{one}"), data, rng.choice(METHODS))
                places.setdefault(student, range(begin, buffer.tell()))
        if name is not None:
            out.writestr(zipfile.ZipInfo(name), b"x", rng.choice(METHODS))
    return buffer.getvalue(), places


def flip(rng: random.Random, raw: bytearray, place: range) -> None:
    """Some bytes are others."""
    for _ in range(rng.choice((1, 1, 2, 5, 40))):
        at = rng.choice(place)
        raw[at] = rng.choice((0, 255, rng.randrange(256), raw[at] ^ 1 << rng.randrange(8)))


def blank(rng: random.Random, raw: bytearray, place: range) -> None:
    """A stretch is lost, and its length kept."""
    begin, end = sorted(rng.choices(place, k=2))
    raw[begin:end] = bytes(end - begin)


def claim(rng: random.Random, raw: bytearray, place: range) -> None:
    """A number of a header is another: a method, a size, a place, a flag."""
    begins = [at for mark in RECORDS for at in _found(bytes(raw), mark) if at in place]
    if begins:
        at = rng.choice(begins) + rng.randrange(4, 46)
        form, size = rng.choice((("<H", 2), ("<I", 4)))
        if at + size <= place.stop:
            struct.pack_into(form, raw, at, rng.choice(NUMBERS) & (256**size - 1))


def cut(rng: random.Random, raw: bytearray, place: range) -> None:
    """A part is missing."""
    begin, end = sorted(rng.choices(place, k=2))
    del raw[begin : min(end, begin + rng.choice((1, 4, 100, 10**6)))]


def _found(data: bytes, mark: bytes) -> list[int]:
    return [one.start() for one in re.finditer(re.escape(mark), data)]


KEEPING: tuple[Callable[[random.Random, bytearray, range], None], ...] = (flip, flip, blank, claim)


class Archives:
    """Draws damaged zips: of one hand-in, of a class, and of a class with damage in one student's entry alone."""

    refusal = (CourseError,)

    def __init__(self) -> None:
        self.place = tempfile.TemporaryDirectory(prefix="fuzz-zips-")

    def draw(self, rng: random.Random) -> Zip:
        """One to three kinds of damage."""
        kind = rng.randrange(3)
        name = rng.choice(NAMES) if kind < 2 and rng.random() < 0.1 else None
        data, places = archive(rng, STUDENTS[:1] if kind == 0 else STUDENTS, name)
        raw, victim = bytearray(data), rng.choice(STUDENTS) if kind == 2 else ""
        for _ in range(rng.choice((1, 1, 2, 3))):
            how = rng.choice(KEEPING if victim else (*KEEPING, cut))
            if raw:
                how(rng, raw, places[victim] if victim else range(len(raw)))
        return Zip(bytes(raw), kind > 0, victim)

    def take(self, case: Zip) -> str:
        """Unpack it; damage of one student's entry must leave the others' files as they are."""
        path, dest = Path(self.place.name) / "a.zip", Path(self.place.name) / "out"
        shutil.rmtree(dest, ignore_errors=True)
        path.write_bytes(case.data)
        if not case.whole:
            unzip(path, dest)
            return "unpacked"
        unpacked = unzip_class(path, dest)
        if case.victim:
            others = [one for one in STUDENTS if one != case.victim]
            intact = all(
                (dest / one / name).read_bytes() == data for one in others for name, data in content(one).items()
            )
            if not intact or any(parts[0] != case.victim for parts in unpacked.spoiled):
                raise AssertionError("one student's damaged entry cost another one")
        return "class, some spoiled" if unpacked.spoiled else "class"
