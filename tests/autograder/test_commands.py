"""Every command of the command line, without running any: each explains itself, and documents name what is there."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import shlex
from collections.abc import Iterator

import pytest

from autograder.cli import MODULES, parser
from tests.paths import ROOT
from tests.test_documents import documents

MODULE = re.compile(r"python3? -m ([a-z_]+(?:\.[a-z_]+)*)")
CALL = re.compile(r"-m autograder ([^`\n]*)")


def inner(one: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of a parser's commands; none if it has no commands."""
    groups = [action for action in one._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


def commands(one: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All commands that have a parser here, as words: ``("exercise", "new")``."""
    for name, below in inner(one).items():
        if name not in MODULES:
            yield from commands(below, (*words, name)) if inner(below) else [(*words, name)]


@pytest.mark.parametrize("words", [*commands(parser())], ids=" ".join)
def test_every_command_explains_itself(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parser().parse_args([*words, "--help"])
    assert left.value.code == 0 and "exit codes: 0" in capsys.readouterr().out


@pytest.mark.parametrize("name", MODULES)
def test_every_command_with_a_module_of_its_own_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        importlib.import_module(MODULES[name][0]).main(["--help"])
    assert left.value.code == 0 and f"autograder {name}" in capsys.readouterr().out


def test_a_command_that_is_no_more_is_noticed() -> None:
    assert unknown("grade SUBMISSIONS --roster x.csv") == [] and unknown("exercise check NN NAME") == []
    assert unknown("grades SUBMISSIONS") == ["grades"] and unknown("grade X --list x.csv") == ["--list"]
    assert unknown("exercise mend 03") == ["mend"] and unknown("mutants --whatever") == []


def unknown(call: str) -> list[str]:
    """Words of a call that the command line does not know: a command or an option. Modules of their own read theirs."""
    at, options = parser(), False
    for word in shlex.split(call, comments=True):
        options = options or word.startswith("-")
        if inner(at) and not options:
            if word not in inner(at):
                return [word]
            if word in MODULES:
                return []
            at = inner(at)[word]
        elif word.startswith("--") and word not in at._option_string_actions:
            return [word]
    return []


@pytest.mark.parametrize("name", documents())
def test_documents_name_commands_and_modules_that_are_there(name: str) -> None:
    text = (ROOT / name).read_text().replace("\\\n", " ").replace("\\", "")
    for call in CALL.findall(text):
        assert unknown(call.replace("'", "")) == [], call
    for module in MODULE.findall(text):
        assert importlib.util.find_spec(module), module


@pytest.mark.parametrize("name", ["README.md", "docs/teaching.md"])
def test_the_commands_that_a_teacher_copies_are_whole(name: str) -> None:
    """Those of README and of the guide, with ``$A`` as it is set there: nothing that is needed is missing."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    blocks = "\n".join(re.findall(r"^```(?:sh|console)\n(.*?)^```", text, flags=re.M | re.S))
    short = re.findall(r'^(?:\$ )?A="(.*)"$', blocks, flags=re.M)
    calls = [call.replace("$A", (short or [""])[0]) for call in CALL.findall(blocks)]
    assert len(calls) >= 4 and short
    for call in calls:
        if (words := shlex.split(call, comments=True))[0] not in MODULES:
            parser().parse_args(words)
