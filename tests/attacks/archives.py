"""Hostile zips, notebooks that end a careless reader, and handed-in files that are code: against intake and the file reader.

Where intake refuses a hand-in, the refusal is its one verdict.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from autograder.intake.discover import Found, take_in
from autograder.judge.files import HandedIn
from autograder.sandbox.bubblewrap import MIB
from course_utils.checks.handin import HandinError
from course_utils.errors import CourseError
from tests.attacks import toy
from tests.attacks.record import Attack, Goal, Trace, Wall

NAME = "00_toy"
TARGET = "target"  # a folder beside the hand-in, which nothing may reach
Pack = Callable[[Path], Path]


def book(**changed: Any) -> dict[str, Any]:
    """An honest notebook, some of its top level changed."""
    return toy.marked(toy.notebook(toy.WRONG)) | changed


def prepare(folder: Path) -> Path:
    """What must stay as it is: a folder beside the hand-in with one file of another student's."""
    target = folder / TARGET
    target.mkdir(parents=True)
    (target / "secret.txt").write_text("SECRET of another student")
    return target


def state(folder: Path) -> dict[str, bytes]:
    """Every file of the target."""
    return {path.name: path.read_bytes() for path in sorted((folder / TARGET).rglob("*")) if path.is_file()}


def leaked(folder: Path) -> bool:
    """Whether a file below has another student's text."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < MIB]
    return any(b"SECRET" in path.read_bytes() for path in found)


def strike(folder: Path, wall: Wall, pack: Pack) -> Trace:
    """Take the hand-in in; harm is a changed target, another's text, or more than 64 MiB on disk."""
    prepare(folder)
    before, dest = state(folder), folder / "taken" / "eve"
    found, flagged = Found("eve", pack(folder / "in")), True
    with contextlib.suppress(CourseError):
        flagged = bool(take_in(found, NAME, toy.skeleton(), dest).notes)
    harm = state(folder) != before or leaked(folder / "taken") or size(folder / "taken") > 64 * MIB
    return Trace(float(harm), 1, 1, flagged)


def size(folder: Path) -> int:
    """Bytes below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) if folder.exists() else 0


def naive(folder: Path, pack: Pack) -> float:
    """An unpacker that believes names, links and sizes: whether it did harm, or stopped with an error of its own."""
    prepare(folder)
    before, dest, path = state(folder), folder / "taken" / "eve", pack(folder / "in")
    dest.mkdir(parents=True)
    try:
        if path.is_dir():
            copy = "import shutil, sys; shutil.copytree(*sys.argv[1:], dirs_exist_ok=True)"
            subprocess.run([sys.executable, "-c", copy, path, dest], check=True, capture_output=True, timeout=10)
        else:
            _believe(path, dest)
    except (OSError, RuntimeError, ValueError, NotImplementedError, zipfile.BadZipFile, subprocess.SubprocessError):
        return 1.0  # the whole run ends here
    files = [p for p in dest.rglob("*") if p.is_file()]
    harm = state(folder) != before or leaked(folder / "taken") or size(folder / "taken") > 64 * MIB
    return float(harm or len(files) > 2_000 or len({str(p).casefold() for p in files}) < len(files))


def _believe(path: Path, dest: Path) -> None:
    total = 0
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            goal = dest / info.filename.replace("\\", "/")
            if info.is_dir():
                continue
            goal.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(info.external_attr >> 16):
                goal.symlink_to(archive.read(info).decode())
                continue
            if goal.exists() and goal.is_relative_to(dest) and goal.is_file():
                raise ValueError("twice")
            with archive.open(info) as source, goal.open("wb") as out:
                while (block := source.read(MIB)) and total <= 65 * MIB:
                    total += out.write(block)


def zipped(entries: Mapping[str, bytes], attributes: Mapping[str, int] | None = None, **options: Any) -> Pack:
    """A zip with an honest notebook and these entries."""

    def pack(folder: Path) -> Path:
        folder.mkdir(parents=True)
        path = folder / "eve.zip"
        with zipfile.ZipFile(path, "w", options.get("method", zipfile.ZIP_DEFLATED)) as archive:
            archive.writestr(f"{NAME}.ipynb", json.dumps(book()))
            for name, data in entries.items():
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (attributes or {}).get(name, 0) << 16
                archive.writestr(info, data.replace(b"@", os.fsencode(folder.parent)))
        return path

    return pack


def edited(change: Callable[[bytes], bytes], entries: Mapping[str, bytes]) -> Pack:
    """A zip whose bytes are changed afterwards."""

    def pack(folder: Path) -> Path:
        path = zipped(entries)(folder)
        path.write_bytes(change(path.read_bytes()))
        return path

    return pack


def linked(name: str, target: str) -> Pack:
    """A folder with a link in it."""

    def pack(folder: Path) -> Path:
        (folder / "eve").mkdir(parents=True)
        (folder / "eve" / f"{NAME}.ipynb").write_text(json.dumps(book()))
        (folder / "eve" / name).symlink_to(target.replace("@", str(folder.parent)))
        return folder / "eve"

    return pack


def piped(folder: Path) -> Path:
    """A folder with a named pipe, at which a reader would wait for ever."""
    (folder / "eve").mkdir(parents=True)
    (folder / "eve" / f"{NAME}.ipynb").write_text(json.dumps(book()))
    os.mkfifo(folder / "eve" / "predictions.txt")
    return folder / "eve"


LINK = stat.S_IFLNK | 0o777
UP = "../../" + TARGET + "/new.txt"
ZIPS: dict[str, Pack] = {
    "*zip slip by ..": zipped({UP: b"x"}),
    "*zip slip by an absolute name": lambda folder: zipped({f"{folder.parent}/{TARGET}/new.txt": b"x"})(folder),
    "zip slip by backslashes": zipped({UP.replace("/", "\\"): b"x"}),
    "zip slip in the middle of a name": zipped({"work/../../../" + TARGET + "/new.txt": b"x"}),
    "*link to another student's file": zipped({"link.txt": b"@/target/secret.txt"}, {"link.txt": LINK}),
    "link to a folder, then a file through it": zipped(
        {"door": b"@/target", "door/new.txt": b"x"}, {"door": LINK}
    ),
    "relative link out of the archive": zipped({"work/link.txt": b"../../../target/secret.txt"}, {"work/link.txt": LINK}),
    "*zip bomb of zeros": zipped({"weights.bin": bytes(300 * MIB)}),
    "zip bomb in many files": zipped({f"work/{n}.bin": bytes(MIB) for n in range(100)}),
    "*10,000 small files": zipped({f"work/{n}": b"x" for n in range(10_000)}),
    "two entries of one name in another case": zipped({"work/a.txt": b"1", "work/A.txt": b"2"}),
    "an entry that is encrypted": edited(lambda data: data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00",
        b"PK\x01\x02\x14\x03\x14\x00\x01\x00").replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00"),
        {"a.txt": b"1"}),
    "an unknown way of compression": edited(lambda data: data.replace(b"\x08\x00", b"\x63\x00"), {"a.txt": b"1" * 500}),
    "an archive cut in half": edited(lambda data: data[: len(data) // 2], {"a.txt": b"1" * 500}),
    "a name of 300 bytes": zipped({"n" * 300: b"x"}),
    "a name with a path of 400 folders": zipped({"a/" * 2100 + "x": b"x"}),
    "a folder with a link to another student": linked("link.txt", "@/target/secret.txt"),
    "a folder with a link to a folder": linked("work", "@/target"),
    "a pipe that is never written": piped,
}  # fmt: skip


# ---------------------------------------------------------------- notebooks that end a careless reader


def saved(text: str | bytes) -> Pack:
    """The notebook's file with this content."""

    def pack(folder: Path) -> Path:
        folder.mkdir(parents=True)
        path = folder / f"{NAME}.ipynb"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return path

    return pack


def cells(change: Callable[[dict[str, Any]], Any]) -> Pack:
    """An honest notebook with every cell changed."""
    made = book()
    for cell in made["cells"]:
        change(cell)
    return saved(json.dumps(made))


def careless(folder: Path, pack: Pack) -> float:
    """A reader that expects a notebook to be one: whether its run ends with an exception."""
    try:
        made = json.loads(pack(folder / "in").read_bytes().decode())
        for cell in made["cells"]:
            text = "".join(cell["source"])
            mark = cell["metadata"].get("nbgrader", {})
            (folder / "x").write_text(text)
            assert int(made["nbformat"]) == 4 and (mark.get("points", 0) + 0) < 10**6
            assert len(text) < 20 * MIB and hash(cell["id"]) and len(made["cells"]) < 10_000
    except (Exception, RecursionError):
        return 1.0
    return 0.0


def survives(folder: Path, wall: Wall, pack: Pack) -> Trace:
    """Intake refuses with a sentence or takes the hand-in: anything else would end the run of a class."""
    try:
        notes = take_in(Found("eve", pack(folder / "in")), NAME, toy.skeleton(), folder / "taken").notes
    except CourseError:
        return Trace(0.0, 1, 1, True)
    except Exception:
        return Trace(1.0, 0, 1)
    return Trace(0.0, 1, 1, bool(notes))


NOTEBOOKS: dict[str, Pack] = {
    "sources that are numbers": cells(lambda cell: cell.update(source=7)),
    "sources that are dicts in lists": cells(lambda cell: cell.update(source=[{"a": 1}])),
    "metadata that is nothing": cells(lambda cell: cell.update(metadata=None)),
    "marks that are a text": cells(lambda cell: cell.update(metadata={"nbgrader": "yes"})),
    "ids that are lists": cells(lambda cell: cell.update(id=["a"])),
    "points that are a text": cells(lambda cell: cell["metadata"].update(nbgrader={"points": "many"})),
    "cells without anything": cells(lambda cell: cell.clear()),
    "cells that are a dict": saved(json.dumps(book(cells={"a": 1}))),
    "cells that are numbers": saved(json.dumps(book(cells=[1, 2]))),
    "lists nested 100,000 times": saved("[" * 100_000 + "]" * 100_000),
    "a number of 10,000 digits": saved(json.dumps(book()).replace('"nbformat": 4', '"nbformat": ' + "4" * 10_000)),
    "lone surrogates": cells(lambda cell: cell.update(source="x = '\ud800'")),
    "bytes that are not UTF-8": saved(b'{"cells": "\xff\xfe"}'),
    "an empty file": saved(b""),
    "30,000 cells": saved(json.dumps(book(cells=[toy.code_cell(f"c{n}", "1") for n in range(30_000)]))),
    "a notebook that is a list": saved("[]"),
}


# ---------------------------------------------------------------- handed-in files that are code or lies


class Bomb:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.write_text, (self.path, "x")


def tensors(header: Mapping[str, Any] | bytes, body: bytes = b"", claimed: int | None = None) -> bytes:
    """A safetensors file with this header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if claimed is None else claimed) + text + body


def entry(dtype: str = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    """One tensor's entry."""
    return {"dtype": dtype, "shape": list(shape) if isinstance(shape, tuple) else shape, "data_offsets": list(offsets)}


READ = """
import sys, json, pickle, struct
import numpy as np
kind, path = sys.argv[1:]
data = open(path, "rb").read()
if kind == "pickle": pickle.loads(data)
elif kind == "numpy": np.load(path, allow_pickle=True)
elif kind == "torch":
    import torch; torch.load(path, weights_only=False)
elif kind == "json":
    value = json.loads(data); assert max(value["scores"]) <= 1
else:
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    for name, one in header.items():
        a, b = one["data_offsets"]
        np.frombuffer(data[8 + size + a:8 + size + b], dict(F32="f4", BOOL="?")[one["dtype"]]).reshape(one["shape"])
        assert (b - a) % 4 == 0 and np.prod(one["shape"]) * 4 == b - a and a % 4 == 0 and len(data) == 8 + size + b
"""


def file_strike(folder: Path, wall: Wall, kind: str, make: Callable[[Path], bytes]) -> Trace:
    """Ask for the file as a check would: harm is a written target, or anything but tensors, text or a refusal."""
    prepare(folder)
    place = folder / "files"
    place.mkdir()
    (place / "weights.safetensors").write_bytes(make(folder / TARGET / "new.txt"))
    (place / "values.json").write_bytes(make(folder / TARGET / "new.txt"))
    handed, before = HandedIn(place, NAME), state(folder)
    try:
        found = handed.json("values.json") if kind == "json" else handed.weights("weights")
    except HandinError:
        return Trace(float(state(folder) != before), 1, 1, True)
    except Exception:
        return Trace(1.0, 0, 1)
    accepted = kind != "json" and bool(found)
    return Trace(float(accepted or state(folder) != before), 1, 1)


def file_control(folder: Path, kind: str, make: Callable[[Path], bytes]) -> float:
    """A reader that believes the file: whether it wrote the target or ended with an error."""
    prepare(folder)
    before, path = state(folder), folder / "weights.bin"
    path.write_bytes(make(folder / TARGET / "new.txt"))
    ran = subprocess.run(
        [sys.executable, "-c", READ, kind, str(path)], capture_output=True, timeout=180, cwd=folder, check=False
    )
    return float(state(folder) != before or ran.returncode != 0)


def _torch(path: Path) -> bytes:
    import torch

    buffer = io.BytesIO()
    torch.save({"a": Bomb(path)}, buffer)
    return buffer.getvalue()


def _numpy(path: Path) -> bytes:
    import numpy as np

    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb(path)], object), allow_pickle=True)
    return buffer.getvalue()


FILES: dict[str, tuple[str, str, Callable[[Path], bytes]]] = {
    "weights that are a pickle": ("deserialisation", "pickle", lambda path: pickle.dumps(Bomb(path))),
    "weights of torch.save with code": ("deserialisation", "torch", _torch),
    "an array file with code": ("deserialisation", "numpy", _numpy),
    "a header of 2**40 bytes": ("deserialisation", "safe", lambda path: tensors({"a": entry()}, bytes(4), 2**40)),
    "a header that is no JSON": ("deserialisation", "safe", lambda path: tensors(b"{" * 10_000, bytes(4))),
    "a header nested 50,000 times": ("deserialisation", "safe", lambda path: tensors(b"[" * 50_000 + b"]" * 50_000)),
    "offsets beyond the file": ("handed-in files", "safe", lambda path: tensors({"a": entry(offsets=(0, 400))}, bytes(4))),
    "a shape larger than the bytes": ("handed-in files", "safe", lambda path: tensors({"a": entry(shape=(9,))}, bytes(4))),
    "a shape below zero": ("handed-in files", "safe", lambda path: tensors({"a": entry(shape=(-4, -1))}, bytes(4))),
    "tensors that share bytes": ("handed-in files", "safe", lambda path: tensors(
        {"a": entry(), "b": entry()}, bytes(4) + b"xxxx")),
    "a kind of numbers that is none": ("handed-in files", "safe", lambda path: tensors({"a": entry("OBJ")}, bytes(4))),
    "bytes behind the last tensor": ("handed-in files", "safe", lambda path: tensors({"a": entry()}, bytes(4) + _numpy(path))),
    "offsets that are texts": ("handed-in files", "safe", lambda path: tensors({"a": entry(offsets=("0", "4"))}, bytes(4))),
    "JSON that is nested 100,000 times": ("handed-in files", "json", lambda path: b"[" * 100_000 + b"]" * 100_000),
    "JSON with a number of 10,000 digits": ("handed-in files", "json", lambda path: b'{"scores": [' + b"9" * 10_000 + b"]}"),
    "JSON that is not UTF-8": ("handed-in files", "json", lambda path: b'{"scores": ["\xff"]}'),
}  # fmt: skip


def _packs(family: str, packs: Mapping[str, Pack], strike: Any, control: Any, goal: Goal = "host") -> list[Attack]:
    return [
        Attack(
            name.lstrip("*"), family, goal, partial(strike, pack=pack), partial(control, pack=pack), name[0] == "*",
            slow="bomb" in name or "10,000" in name, layers=(),
        )
        for name, pack in packs.items()
    ]  # fmt: skip


ATTACKS = [
    *_packs("archives", ZIPS, strike, naive),
    *_packs("malformed notebooks", NOTEBOOKS, survives, careless),
    *(
        Attack(name, family, "host", partial(file_strike, kind=kind, make=make),
               partial(file_control, kind=kind, make=make), slow=kind == "torch", layers=())
        for name, (family, kind, make) in FILES.items()
    ),
]  # fmt: skip
