"""No answer sends more than one bit about its hidden inputs, and without our measures each of these would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks import channel

FAST = ("line of the exception", "shape of an array", "how it ends", "a name of the notebook")


def test_there_are_enough_attacks_and_each_is_its_own() -> None:
    assert len({leak.text for leak in channel.LEAKS}) == len(channel.LEAKS) >= 200


def test_a_sample_sends_at_most_a_bit(tmp_path: Path) -> None:
    """One way by exception, one by a wrong value, one by a dead kernel and one by what is printed later."""
    modes = [*channel.MODES, "for even symbols right"]
    leaks = [
        next(leak for leak in channel.LEAKS if (leak.way, leak.mode) == pair) for pair in zip(FAST, modes, strict=True)
    ]
    found = channel.measured(tmp_path, leaks)
    assert all(one.held for one in found)
    assert all(one.control > 2 for one in found), "the control: without our measures more than a bit arrives"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(list(channel.batches(channel.LEAKS)))))
def test_every_attack_sends_at_most_a_bit(tmp_path: Path, number: int) -> None:
    found = channel.measured(tmp_path, list(channel.batches(channel.LEAKS))[number])
    assert [one for one in found if not one.held] == []
    assert all(one.control > 1 for one in found), "the control: each of them is a channel without our measures"
