"""A part of the fuzzing that ``make fuzz`` does in full, and the proof that a crash would be seen."""

from __future__ import annotations

import json
import random
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.intake import soundzip
from autograder.intake.soundzip import Damaged
from autograder.sandbox import kernel
from tests.fuzz import __main__ as command
from tests.fuzz import archives, messages, notebooks
from tests.fuzz.running import Target, run

MOST_GROWTH_MIB = 30


def held(found: dict[str, object], *words: str) -> bool:
    """No crash, memory flat, and these outcomes really came."""
    outcomes = found["outcomes"]
    assert found["crashes"] == 0, found["failed"]
    assert isinstance(outcomes, dict) and all(outcomes.get(word, 0) > 20 for word in words), outcomes
    return float(str(found["memory_mib_end"])) - float(str(found["memory_mib_start"])) < MOST_GROWTH_MIB


def test_notebooks() -> None:
    assert held(run(notebooks.Notebooks(), 500, 1), "refused", "rebuilt")


def test_messages() -> None:
    assert held(run(messages.Messages(), 10_000, 1), "refused", "decoded", "answered", "cell ok", "cell dead")


def test_archives() -> None:
    assert held(run(archives.Archives(), 150, 1), "refused", "class, some spoiled")


@contextmanager
def _listed() -> Iterator[None]:
    """A reader of zips with a list of what can go wrong, as the first one had."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise Damaged("the file is damaged") from error


def _trusting(self: kernel.Kernel, number: int, deadline: float) -> object:
    """A judge that believes in the form of what it reads."""
    reply = messages.wire.decode(self._take(int.from_bytes(self._take(8, deadline), "big"), deadline))
    return reply if reply and reply[0] == number else self._violation("another")


def _careless(data: bytes, name: str, sound: object = notebooks.read_notebook) -> object:
    """A reader that believes in the form of a notebook."""
    cells = sound(data, name)  # type: ignore[operator]
    return cells if json.loads(data)["cells"][0]["metadata"] is not None else []


TARGETS: dict[str, Target] = {
    "messages": messages.Messages(),
    "notebooks": notebooks.Notebooks(),
    "archives": archives.Archives(),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_a_broken_reader_is_a_crash(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = TARGETS[kind]
    if kind == "messages":
        monkeypatch.setattr(kernel.Kernel, "_read", _trusting)
    elif kind == "notebooks":
        monkeypatch.setattr(notebooks, "read_notebook", _careless)
    else:
        monkeypatch.setattr(soundzip, "blamed", _listed)
    count = "200" if kind == "archives" else "1000"
    assert command.main([kind, "--count", count, "--seed", "1"]) == 1
    found = json.loads(capsys.readouterr().out)
    first = found["failed"][0]["number"]
    assert found["crashes"] > 5 and target.draw(random.Random(f"1-{first}")) == target.draw(random.Random(f"1-{first}"))
