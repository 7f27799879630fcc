"""Damaged archives: whatever is wrong and however they are packed, a refusal in one sentence, in bounded memory."""

from __future__ import annotations

import bz2
import errno
import io
import shutil
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from autograder.intake import soundzip
from autograder.intake.archive import unzip
from autograder.intake.discover import Found, survey, take_in
from autograder.intake.soundzip import CHUNK, Damaged, blamed, opened, pieces
from course_utils.errors import CourseError
from tests.autograder.intake.spoofs import NAME, notebook

METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}
SECRET = "Full marks"  # what an archive says must not stand in the sentence


def packed(method: int, name: str = f"{NAME}.ipynb", data: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), data or notebook("eve") * 20, method)
    return buffer.getvalue()


def damaged(method: int, name: str = f"{NAME}.ipynb") -> bytes:
    """A stretch of the packed content is lost; the archive's list is sound."""
    data = bytearray(packed(method, name))
    begin = 30 + len(name.encode()) + 20
    data[begin : begin + 60] = bytes(one ^ 0x5A for one in data[begin : begin + 60])
    return bytes(data)


def record(data: bytes, at: int, form: str, value: int) -> bytes:
    """The archive with another number in the first record of its list."""
    raw = bytearray(data)
    struct.pack_into(form, raw, raw.rindex(b"PK\x01\x02") + at, value)
    return bytes(raw)


def nameless(data: bytes) -> bytes:
    """The archive with a last entry that has no name: in the list its letter is no more the name but an extra field."""
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("q", b"x")
    return record(record(buffer.getvalue(), 28, "<H", 0), 30, "<H", 1)


def refusal(data: bytes, folder: Path) -> str:
    path = folder / "eve.zip"
    path.write_bytes(data)
    shutil.rmtree(folder / "out", ignore_errors=True)
    with pytest.raises(CourseError) as caught:
        unzip(path, folder / "out")
    assert type(caught.value) is CourseError and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_sound_archives_of_every_kind_are_read(method: int, tmp_path: Path) -> None:
    for data in (b"x", bytes(3 * CHUNK + 5), bytes(range(256)) * 9000):
        (tmp_path / "a.zip").write_bytes(packed(method, data=data))
        with opened(tmp_path / "a.zip") as archive:
            (info,) = archive.infolist()
            blocks = list(pieces(archive, info))
        assert b"".join(blocks) == data and max(map(len, blocks)) <= CHUNK


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_damaged_content_is_refused(method: int, tmp_path: Path) -> None:
    assert refusal(damaged(method, f"{SECRET}.ipynb"), tmp_path) == (
        "eve.zip: not a sound zip archive (the file is damaged); pack it again as .zip"
    )


def test_other_damage_is_refused(tmp_path: Path) -> None:
    sound = packed(zipfile.ZIP_LZMA, f"{SECRET}.txt")
    told = {
        "no name": refusal(nameless(sound), tmp_path),
        "another method": refusal(record(sound, 10, "<H", 9), tmp_path),
        "a place before the file": refusal(record(sound, 42, "<I", 0xFFFFFFF0), tmp_path),
        "header of LZMA cut": refusal(record(sound, 20, "<I", 3), tmp_path),
        "too large": refusal(record(sound, 24, "<I", 0xFFFFFFF), tmp_path),
        "another sum": refusal(record(sound, 16, "<I", 7), tmp_path),
        "no zip": refusal(SECRET.encode(), tmp_path),
    }
    assert "has no name" in told["no name"] and "method that is not read here" in told["another method"]
    assert "no zip file" in told["no zip"] and all("again" in words for words in told.values())
    assert not [words for words in told.values() if SECRET in words]


@pytest.mark.parametrize(
    "error",
    [
        OSError("Invalid data stream"),
        OSError(errno.EINVAL, "Invalid argument"),
        IndexError(),
        struct.error(),
        zlib.error(),
        OverflowError(),
        KeyError("x"),
        AssertionError(),
        NotImplementedError("strong encryption"),
    ],
)
def test_whatever_a_reader_raises_is_the_archives_fault(error: Exception) -> None:
    with pytest.raises(Damaged), blamed():
        raise error


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "I/O"), OSError(errno.ENOSPC, "full"), MemoryError(), CourseError("said before")]
)
def test_the_machines_faults_and_our_sentences_pass(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, blamed():
        raise error
    assert caught.value is error


def bomb(size: int) -> bytes:
    """Zeros, packed by bzip2 to less than 1 kB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive, archive.open("zeros", "w") as out:
        for _ in range(size // (8 * CHUNK)):
            out.write(bytes(8 * CHUNK))
    return buffer.getvalue()


def test_a_bomb_is_stopped_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    kind = bz2.BZ2Decompressor

    class Watched:
        def __init__(self) -> None:
            self.inner = kind()
            self.eof = self.needs_input = False

        def decompress(self, data: bytes, most: int = -1) -> bytes:
            block = self.inner.decompress(data, most)
            sizes.append(len(block))
            self.eof, self.needs_input = self.inner.eof, self.inner.needs_input
            return block

    data = bomb(40 * CHUNK)
    monkeypatch.setattr(soundzip.bz2, "BZ2Decompressor", Watched)  # type: ignore[attr-defined]
    monkeypatch.setattr(bz2, "BZ2Decompressor", Watched)
    assert len(data) < 1000 and "times its size" in refusal(data, tmp_path)
    assert max(sizes) <= CHUNK and sum(sizes) < 20 * CHUNK


def test_an_lzma_dictionary_of_four_gigabytes_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    kind = soundzip.lzma.LZMADecompressor  # type: ignore[attr-defined]

    def watched(form: int, filters: list[dict[str, int]]) -> object:
        asked.append(filters[0]["dict_size"])
        return kind(form, filters=filters)

    monkeypatch.setattr(soundzip.lzma, "LZMADecompressor", watched)  # type: ignore[attr-defined]
    data = bytearray(packed(zipfile.ZIP_LZMA, "a.txt", b"words " * 1000))
    begin = data.index(b"a.txt") + len("a.txt") + 5
    data[begin : begin + 4] = b"\xff" * 4
    (tmp_path / "a.zip").write_bytes(data)
    unzip(tmp_path / "a.zip", tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"words " * 1000 and asked == [6000]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_damaged_zip_in_a_folder_is_refused(method: int, tmp_path: Path) -> None:
    """As Gradescope leaves it: the student's zip lay in another one."""
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / f"{NAME}.zip").write_bytes(damaged(method))
    with pytest.raises(CourseError, match="not a sound zip archive"):
        take_in(Found("eve", tmp_path / "submission"), NAME, {}, tmp_path / "dest")


def class_zip(folder: Path, method: int) -> Path:
    """Three students; a stretch of bob's entry is lost."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        places = []
        for who in ("anna", "bob", "carl"):
            places.append(buffer.tell())
            archive.writestr(zipfile.ZipInfo(f"{who}/{NAME}.ipynb"), notebook(who) * 20, method)
    raw = bytearray(buffer.getvalue())
    begin = places[1] + 30 + len(f"bob/{NAME}.ipynb") + 20
    raw[begin : begin + 60] = bytes(one ^ 0x5A for one in raw[begin : begin + 60])
    (folder / "class.zip").write_bytes(raw)
    return folder / "class.zip"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_damaged_entry_of_a_class_costs_its_student(method: int, tmp_path: Path) -> None:
    handins = survey(class_zip(tmp_path, method), "folders", assignment=NAME)
    assert [one.student for one in handins.found] == ["anna", "carl"]
    assert [one.item for one in handins.refused] == ["bob"] and "damaged" in handins.refused[0].reason


def test_an_entry_without_a_name_is_listed_and_costs_nobody(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for who in ("anna", "bob"):
            archive.writestr(f"{who}/{NAME}.ipynb", notebook(who))
    (tmp_path / "class.zip").write_bytes(nameless(buffer.getvalue()))
    handins = survey(tmp_path / "class.zip", "folders", assignment=NAME)
    assert [one.student for one in handins.found] == ["anna", "bob"]
    assert [one.item for one in handins.refused] == ["an entry without a name"]
