"""Reading what a student hands in: weights, predictions, history. Nothing is executed, everything is bounded.

Weights are read as safetensors only, because pickled files are programs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from course_utils.errors import CourseError


class HandinError(CourseError):
    """A file that should be handed in is missing or broken; the text is one sentence for the student."""


class Handin:
    """The handed-in files of one notebook: the folder ``work/<notebook>/``.

    Args:
        folder: where the files lie; None until the notebook's first cell has run.
        max_bytes: largest file that is read.
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = 512 * 2**20) -> None:
        self.folder = folder
        self.max_bytes = max_bytes

    def weights(self, name: str) -> dict[str, torch.Tensor]:
        """Tensors by name from ``<name>.safetensors``, on the CPU. Raises HandinError when missing or broken."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        path = self._file(name if name.endswith(".safetensors") else f"{name}.safetensors")
        try:
            return load(path.read_bytes())
        except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
            raise HandinError(
                f"{path.name} is not a complete safetensors file: save it again and hand in anew"
            ) from error

    def notes(self, name: str) -> dict[str, str]:
        """What a safetensors file says of itself, {} for nothing. Raises HandinError when missing or broken."""
        from safetensors import SafetensorError, safe_open

        path = self._file(name)
        try:
            with safe_open(path, framework="pt") as file:
                return dict(file.metadata() or {})
        except (SafetensorError, OSError) as error:
            raise HandinError(f"{name} is not a complete safetensors file: save it again and hand in anew") from error

    def lines(self, name: str) -> list[str]:
        """The lines of a UTF-8 text file, without line ends; one final newline adds no line."""
        text = self._text(name).replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n") if text else []

    def json(self, name: str) -> Any:
        """The value of a JSON file. Raises HandinError when missing or broken."""
        try:
            return json.loads(self._text(name))
        except (ValueError, RecursionError) as error:
            raise HandinError(f"{name} is not valid JSON: write it again with json.dump") from error

    def _text(self, name: str) -> str:
        try:
            return self._file(name).read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise HandinError(
                f"{name} is not UTF-8 text (byte {error.start}): write it with encoding='utf-8'"
            ) from error

    def _file(self, name: str) -> Path:
        """The path of a regular file of the folder; links are refused, since they may point at others' work."""
        if self.folder is None:
            raise HandinError(f"{name} cannot be looked for yet: run the notebook's first cell")
        path = Path(self.folder) / name
        if Path(name).name != name or path.is_symlink():
            raise HandinError(f"{name} must be a plain file in {self.folder}, not a link or another folder's file")
        if not path.is_file():
            raise HandinError(f"{name} is missing in work/{Path(self.folder).name}: run the cell that writes it")
        if path.stat().st_size > self.max_bytes:
            raise HandinError(
                f"{name} is larger than {self.max_bytes // 2**20} MiB: hand in only what the notebook asks for"
            )
        return path
