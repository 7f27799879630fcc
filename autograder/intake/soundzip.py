"""Reading zip archives of strangers: whatever is wrong with one is :class:`Damaged`, and the memory stays bounded.

The only place that decides what is the archive's fault. Python's own reader unpacks bzip2 and LZMA without a bound on what
comes of one read (4 kB may become 5 GB), so these two are unpacked here, from the packed bytes that it reads.
"""

from __future__ import annotations

import bz2
import copy
import errno
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from course_utils.errors import CourseError

CHUNK = 2**20
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What a place or a size that an archive claims makes the system say; any other error of the system is the machine's.
OF_PLACES = (None, errno.EINVAL, errno.EOVERFLOW, errno.EFBIG)  # bz2 raises an OSError without a number
SMALLEST_DICTIONARY = 4096


class Damaged(CourseError):
    """The archive is at fault. The text is fixed words for a sentence's brackets: none of the archive's own."""


@contextmanager
def blamed() -> Iterator[None]:
    """Turn whatever zipfile or a decompressor raises into :class:`Damaged`.

    Only reading belongs inside: an error of our own code would become the student's.

    Raises:
        Damaged: the archive is at fault.
        OSError, MemoryError: the machine is.
    """
    try:
        yield
    except (CourseError, MemoryError):
        raise
    except Exception as error:  # IndexError, struct.error, LZMAError …: no list of them would be complete
        if isinstance(error, OSError) and error.errno not in OF_PLACES:
            raise
        raise Damaged(_words(error)) from error


def _words(error: Exception) -> str:
    if isinstance(error, NotImplementedError):
        return "it is packed by a method that is not read here"
    if isinstance(error, RuntimeError) and "password" in str(error):
        return "it is protected by a password"
    if isinstance(error, zipfile.BadZipFile) and str(error) == "File is not a zip file":
        return "the file is cut, or no zip file"
    return "the file is damaged"


@contextmanager
def opened(source: Path | BinaryIO) -> Iterator[zipfile.ZipFile]:
    """A zip archive for reading. Raises Damaged, or OSError where the machine is at fault."""
    with blamed():
        archive = zipfile.ZipFile(source)
    with archive:
        yield archive


def pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The unpacked bytes of one entry, in pieces of at most 1 MiB. Raises as :func:`blamed`."""
    with blamed():
        if info.compress_type in PLAIN:
            with archive.open(info) as entry:
                while block := entry.read(CHUNK):
                    yield block
        else:
            with archive.open(_as_packed(info)) as entry:
                yield from _unpacked(entry, info)


def _as_packed(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The entry as if it were stored, so that reading gives its packed bytes."""
    raw: Any = copy.copy(info)
    raw.compress_type, raw.file_size, raw.CRC = zipfile.ZIP_STORED, info.compress_size, None
    return raw  # type: ignore[no-any-return]


def _unpacked(entry: IO[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    """What bzip2 or LZMA makes of the packed bytes, up to the size that the archive claims."""
    decompressor = _decompressor(entry, info)
    left, check = info.file_size, 0
    while left > 0 and not decompressor.eof:
        data = entry.read(CHUNK) if decompressor.needs_input else b""
        if not data and decompressor.needs_input:
            break
        block = decompressor.decompress(data, min(left, CHUNK))
        left, check = left - len(block), zlib.crc32(block, check)
        if block:
            yield block
    if left or check != info.CRC:
        raise zipfile.BadZipFile("the content is not what the archive's list says")


def _decompressor(entry: IO[bytes], info: zipfile.ZipInfo) -> Any:
    """A decompressor at the beginning of its data. Raises NotImplementedError, struct.error or lzma.LZMAError."""
    if info.compress_type == zipfile.ZIP_BZIP2:
        return bz2.BZ2Decompressor()
    if info.compress_type != zipfile.ZIP_LZMA:
        raise NotImplementedError(f"compression method {info.compress_type}")
    _, size = struct.unpack("<HH", entry.read(4))  # version of the SDK; length of what follows
    mode, dictionary = struct.unpack("<BI", entry.read(size))
    # nothing can be repeated from further back than the content is long, so a hostile claim takes no memory
    most = max(min(dictionary, info.file_size), SMALLEST_DICTIONARY)
    one = {"id": lzma.FILTER_LZMA1, "lc": mode % 9, "lp": mode // 9 % 5, "pb": mode // 45, "dict_size": most}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[one])
