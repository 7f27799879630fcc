"""Files that checks read: the submitted files, which are untrusted, and the instructor's hidden files.

The judge never loads pickles, nor ``.npy`` files. Weights are safetensors, parsed here with limits on header, shapes,
kinds of numbers and bytes before anything is allocated.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from pathlib import Path
from typing import Any

import torch

from course_utils.checks.handin import HandinError
from course_utils.errors import CourseError

MIB = 2**20
DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
MAX_HEADER, MAX_WEIGHTS, MAX_TEXT, MAX_TENSORS, MAX_DIMS = 4 * MIB, 512 * MIB, 16 * MIB, 10_000, 16


class HandedIn:
    """``handin`` in the judge: weights, lines and JSON from the folder of one submission.

    Args:
        folder: regular files only, as intake leaves it.
        assignment: its name in sentences, ``work/<assignment>``.
    """

    def __init__(self, folder: Path, assignment: str) -> None:
        self._folder, self._place = Path(folder), f"work/{assignment}"

    def weights(self, name: str) -> dict[str, torch.Tensor]:
        """Tensors by name from ``<name>.safetensors``. Raises HandinError when missing, broken or beyond the limits."""
        name = name if name.endswith(".safetensors") else f"{name}.safetensors"
        return read_safetensors(self._read(name, MAX_WEIGHTS), name)

    def lines(self, name: str) -> list[str]:
        """The lines of a UTF-8 text file without line ends; one final newline adds no line. Raises HandinError."""
        text = self._text(name).replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n") if text else []

    def json(self, name: str) -> Any:
        """The value of a JSON file. Raises HandinError when missing or broken."""
        try:
            return json.loads(self._text(name))
        except (ValueError, RecursionError):
            raise HandinError(f"{name} is not valid JSON: write it again with json.dump") from None

    def _text(self, name: str) -> str:
        try:
            return self._read(name, MAX_TEXT).decode("utf-8")
        except UnicodeDecodeError as error:
            raise HandinError(
                f"{name} is not UTF-8 text (byte {error.start}): write it with encoding='utf-8'"
            ) from None

    def _read(self, name: str, limit: int) -> bytes:
        """The bytes of a regular file of the folder, opened without following a link; its size is checked when open."""
        if Path(name).name != name:
            raise HandinError(f"{name} must be a plain file in {self._place}, not in another folder")
        try:
            fd = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise HandinError(
                f"{name} is missing in {self._place}: run the cell that writes it and hand in again"
            ) from None
        except OSError:
            raise HandinError(f"{name} must be a plain file in {self._place}, not a link") from None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise HandinError(f"{name} must be a plain file in {self._place}, not a folder")
        with os.fdopen(fd, "rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise HandinError(f"{name} is larger than {limit // MIB} MiB: hand in only what the notebook asks for")
        return data


def read_safetensors(data: bytes, name: str) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file given as bytes; no more memory is used than the file has.

    Raises:
        HandinError: truncated, malformed, an unknown kind of numbers, or beyond the limits; one sentence with ``name``.
    """
    header, body = _header(data, name)
    tensors: dict[str, torch.Tensor] = {}
    end = 0
    for number, (key, entry) in enumerate(sorted(header.items(), key=lambda item: _offsets(item[1], name)), start=1):
        dtype, shape, (start, stop) = _entry(entry, name)
        size = math.prod(shape) * dtype.itemsize
        if start != end or stop - start != size or stop > len(body):
            raise HandinError(f"{name}: {_tensor_name(key, number)} does not fit the file (truncated?): save it again")
        end = stop
        tensors[key] = _tensor(body[start:stop], dtype, shape)
    if end != len(body):
        raise HandinError(f"{name} has bytes that belong to no tensor: save it again with course_utils.checkpoint")
    return tensors


def _tensor_name(key: str, number: int) -> str:
    """A tensor in a hint: by its name where that reads like one, else by its place. No text of the file is shown."""
    return f"the tensor {key}" if re.fullmatch(r"[\w.]{1,60}", key, re.ASCII) else f"the tensor number {number}"


def _tensor(raw: memoryview, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    if not raw:
        return torch.empty(shape, dtype=dtype)
    if dtype is torch.bool:  # as bool a byte of 2 would equal neither True nor False
        return (torch.frombuffer(bytearray(raw), dtype=torch.uint8) != 0).reshape(shape)  # (numel,) -> shape
    return torch.frombuffer(bytearray(raw), dtype=dtype).reshape(shape)  # (numel,) -> shape


def _header(data: bytes, name: str) -> tuple[dict[str, Any], memoryview]:
    """The entries without metadata, and the bytes of the tensors."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > MAX_HEADER or 8 + size > len(data):
        raise HandinError(f"{name} is not a complete safetensors file: save it again and hand in anew")
    try:
        header = json.loads(data[8 : 8 + size], object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise HandinError(f"{name} is not a proper safetensors file: save it again and hand in anew") from None
    if not isinstance(header, dict) or len(header) > MAX_TENSORS:
        raise HandinError(f"{name} is not a proper safetensors file: save it again and hand in anew")
    header.pop("__metadata__", None)
    return header, memoryview(data)[8 + size :]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _offsets(entry: Any, name: str) -> tuple[int, int]:
    found = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not isinstance(found, list) or len(found) != 2 or any(type(n) is not int or not 0 <= n < 2**40 for n in found):
        raise HandinError(f"{name} is not a proper safetensors file: save it again and hand in anew")
    return found[0], found[1]


def _entry(entry: dict[str, Any], name: str) -> tuple[torch.dtype, list[int], tuple[int, int]]:
    dtype, shape = DTYPES.get(str(entry.get("dtype"))), entry.get("shape")
    if dtype is None:
        raise HandinError(f"{name} holds numbers of a kind that is not read here: save the weights as float32")
    proper = (
        isinstance(shape, list) and len(shape) <= MAX_DIMS and all(type(n) is int and 0 <= n < 2**40 for n in shape)
    )
    if not proper or math.prod(max(n, 1) for n in shape or []) >= 2**40:
        raise HandinError(f"{name} holds a tensor of an impossible shape: save it again and hand in anew")
    return dtype, list(shape or []), _offsets(entry, name)


class Private:
    """``private`` in hidden parts: the instructor's own files of this assignment."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    def path(self, name: str) -> Path:
        """The path of a hidden file. Raises CourseError if it does not exist (the release is incomplete)."""
        path = self._folder / name
        if not path.is_file():
            raise CourseError(f"{path} is missing: build the release again (python -m autograder release)")
        return path

    def lines(self, name: str) -> list[str]:
        """The lines of a hidden UTF-8 text file, without line ends."""
        return self.path(name).read_text("utf-8").removesuffix("\n").split("\n")

    def json(self, name: str) -> Any:
        """The value of a hidden JSON file."""
        return json.loads(self.path(name).read_text("utf-8"))
