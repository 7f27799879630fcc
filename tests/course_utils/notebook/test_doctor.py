"""Notebook 00 says what is missing on a machine, and what to do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_utils.config import PROFILES
from course_utils.notebook import doctor as module
from course_utils.notebook.session import Course
from tests.paths import ROOT


def cost(gib: float) -> Any:
    return SimpleNamespace(memory_mib=1024 * gib)


def course(data: Path, work: Path) -> Course:
    return Course("00_start", data, work, PROFILES["laptop"], torch.device("cpu"))


def test_a_sound_machine_has_no_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in module.PARTS:
        (tmp_path / "data" / part).mkdir(parents=True)
    monkeypatch.setattr(module, "available", lambda: 4.0)
    monkeypatch.setattr(module, "DISK", 0.0)
    monkeypatch.setattr(module, "build", lambda: module.Finding("torch", "x"))
    lines = module.doctor(
        course(tmp_path / "data", tmp_path / "not" / "yet"), {"a": cost(1.5), "b": cost(0.5)}
    ).splitlines()
    assert [line[0] for line in lines] == ["✓"] * 5 and "4.0 GiB free, 1.5 needed at most" in lines[3]


def test_what_is_missing_is_named_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "measured").mkdir()
    monkeypatch.setattr(module, "available", lambda: 0.5)
    monkeypatch.setattr(module, "PYTHON", (99, 0))
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: SimpleNamespace(free=2**29))
    words = module.doctor(course(tmp_path, tmp_path), {"07_knowledge": cost(1.5)})
    assert "promises, world missing; unpack student.zip again" in words
    assert "close other programs before 07_knowledge" in words and "install Python 99.0 or newer" in words
    assert f"make room in {tmp_path}" in words and words.count("✗") == 4


@pytest.mark.parametrize(("cuda", "seen", "driver", "found"), [
    (None, False, False, ("CPU build", "")),
    (None, False, True, ("CPU build", "delete the first line of requirements.txt")),
    ("12.8", True, True, ("CUDA 12.8 build", "")),
    ("12.8", False, False, ("no GPU found", "")),
])  # fmt: skip
def test_the_build_of_torch_is_named(
    monkeypatch: pytest.MonkeyPatch, cuda: str | None, seen: bool, driver: bool, found: tuple[str, str]
) -> None:
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: seen)
    monkeypatch.setattr(module.Path, "is_dir", lambda _: driver)
    one = module.build()
    assert found[0] in one.found and found[1] in one.remedy and bool(found[1]) == bool(one.remedy)


def test_memory_that_nobody_knows_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available", lambda: None)
    assert module.memory({"a": cost(99)}) == module.Finding("memory", "not known here")


def test_this_checkout_is_complete_and_memory_is_read() -> None:
    assert module.files(ROOT / "data").remedy == "" and (module.available() or 0) > 0
