"""What an export holds for nobody stays in the ledger until it is resolved, in ledgers of earlier versions too."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.ledger import Ledger
from autograder.grading.unplaced import log_unplaced, unplaced
from autograder.intake.discover import Handins, NotUnderstood

ITEM, KEY = "stray.zip", ("export", "stray.zip")


def survey(*refused: str) -> Handins:
    return Handins("canvas", [], [NotUnderstood(item, "nobody's") for item in refused], [], source="export")


def test_an_entry_that_is_gone_is_resolved_and_one_that_comes_again_is_not(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    log_unplaced(ledger, "07", survey(ITEM))
    assert unplaced(ledger, "07") == {KEY: "nobody's"} and unplaced(ledger, "08") == {}
    log_unplaced(ledger, "07", survey())
    assert unplaced(ledger, "07") == {} and list(ledger)[-1].data["resolved"] is True
    log_unplaced(ledger, "07", survey(ITEM))
    assert unplaced(ledger, "07") == {KEY: "nobody's"}


@pytest.mark.parametrize("word", ["resolved", "settled"])
def test_both_words_of_a_ledger_are_read(tmp_path: Path, word: str) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append("refused", item=ITEM, assignment="07", reason="nobody's", source="export")
    ledger.append("refused", item=ITEM, assignment="07", reason="", source="export", **{word: True})
    assert unplaced(ledger, "07") == {}
