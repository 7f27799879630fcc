"""What notebook 06 says of its four models stands in the recorded runs, and its extra questions are asked rightly."""

import json
import re

import pytest
import torch

from benchmarks.experiments import probe_claims
from benchmarks.paths import RESULTS
from course_utils.corpora.stories import FIRST_WORD, VOCAB, blanks, gaps
from tests.paths import ROOT

TEXT = (ROOT / "solutions" / "06_pretraining.py").read_text(encoding="utf-8").replace("\n# ", " ")  # wrapped lines
TABLE = json.loads((ROOT / "data" / "measured" / "probe_table.json").read_text(encoding="utf-8"))["runs"]
CLAIMS = json.loads(probe_claims.OUT.read_text(encoding="utf-8"))["runs"]
FURTHER = json.loads((RESULTS / "claims" / "06_pretraining.json").read_text(encoding="utf-8"))


def span(values):
    """'28 to 53' of shares, '100' where all are one."""
    ends = [f"{100 * end:.0f}" for end in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def said(pattern):
    """The numbers of the one place in the notebook that the pattern finds."""
    found = re.findall(pattern, TEXT)
    assert len(found) == 1, pattern
    return found[0]


def trainings(name):
    """Both numbers of section 8 before and after each training on record, those beyond the six included."""
    six = [(run["senses_untrained"][name], run["senses"][name]) for run in CLAIMS]
    return six + [(run["before"], run["after"]) for run in FURTHER["more_senses"].get(name, [])]


def test_bert_learns_the_sense_in_five_of_ten_runs_and_else_loses_or_keeps_what_the_head_read():
    learned = [after for _, after in trainings("BERT") if min(after.values()) > 0.98]
    rest = [(before, after) for before, after in trainings("BERT") if after not in learned]
    assert (len(learned), len(rest)) == (5, 5) and "learned it in five of ten runs" in TEXT
    ends = said(r"In the others the neighbours ended at (\d+ to \d+) %, and the head changed by −20 to \+4 points")
    assert ends == span([after["neighbours"] for _, after in rest])
    changes = [round(100 * (after["linear_head"] - before["linear_head"]), 1) for before, after in rest]
    assert (min(changes), max(changes)) == (-20.0, 3.5)


def scores(model, probe):
    return [run["scores"][model][probe] for run in TABLE]


@pytest.mark.parametrize(
    ("pattern", "model", "probe"),
    [
        (r"yet T5 was right in (\d+ to \d+) % only", "T5", "blank"),
        (r"BERT \((\d+ to \d+) %\) and T5's encoder \(", "BERT", "tag"),
        (r" and T5's encoder \((\d+ to \d+) %\) have read the cue", "T5", "tag"),
        (r"though less surely than ELMo: (\d+ to \d+) % against 100 %", "BERT", "tag"),
    ],
)
def test_ranges_of_the_table_are_those_in_the_text(pattern, model, probe):
    assert said(pattern) == span(scores(model, probe))


def test_elmo_tags_and_bert_fills_blanks_in_every_given_run():
    assert min(scores("ELMo", "tag")) == 1.0 == min(scores("BERT", "blank"))


def test_cpu_seconds_of_the_given_runs_are_those_in_the_text():
    seconds = {name: [run["seconds"][name] for run in TABLE] for name in ("ELMo", "T5")}
    both = [t for run in TABLE for t in run["seconds"].values()]
    low, high = min(both), max(both)
    assert (low, high) == (min(seconds["ELMo"]), max(seconds["T5"]))
    assert high > 1.5 * low and "three runs; unequal training times and sizes" in TEXT


def test_claims_beside_the_table_are_those_of_the_recorded_runs():
    assert len({run["seed"] for run in CLAIMS}) == len(CLAIMS) == 6
    tries = said(r"it fills (\d+) of 50; six seeds")
    assert [round(run["gpt_blank_by_trying"] * probe_claims.TRIES) for run in CLAIMS] == [int(tries)] * 6
    told = said(r"fills (\d+ to \d+) % of these gaps as well \(six seeds\)")
    assert told == span([run["bert_gap_told_how_many"] for run in CLAIMS])


@pytest.mark.parametrize("name", ["ELMo", "GPT", "BERT", "T5"])
def test_senses_in_states_are_those_of_the_recorded_runs(name):
    row = said(rf"\| {name} \|" + r" (\d+(?: to \d+)?) % \|" * 4)
    after, before = [run for _, run in trainings(name)], FURTHER["untrained"][name]
    kinds = [(runs, what) for what in ("neighbours", "linear_head") for runs in (after, before)]
    assert row == tuple(span([run[what] for run in runs]) for runs, what in kinds)
    assert len(before) == 24 and [run["senses_untrained"][name] for run in CLAIMS] == before[:6]


class Knows(torch.nn.Module):
    """A stand-in that gives every right answer a large logit: ``rows`` are all the lines that it knows."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def forward(self, ids):
        logits = torch.zeros(*ids.shape, VOCAB)
        for b, line in enumerate(ids.tolist()):
            for row in self.rows:
                for t in range(min(len(line), len(row) - 1)):
                    if line[: t + 1] == row[: t + 1]:
                        logits[b, t, row[t + 1]] = 20.0
        return logits


def test_gpt_that_knows_the_sentences_fills_blanks_by_trying_and_one_that_does_not_fails():
    holes = blanks("a test", 6)
    whole = [[*hole.left, *hole.answer, *hole.right] for hole in holes]
    assert probe_claims.by_trying(Knows(whole), holes) == 1.0
    others = [[*h.left, FIRST_WORD + (h.answer[0] - FIRST_WORD + 1) % (VOCAB - FIRST_WORD), *h.right] for h in holes]
    assert probe_claims.by_trying(Knows(others), holes) == 0.0


def test_bert_is_told_the_number_of_missing_words():
    spans = gaps("a test", 8)
    answers = {(tuple(p.left), len(p.answer)): p for p in spans}

    def bert(ids):
        logits = torch.zeros(*ids.shape, VOCAB)
        for b, p in enumerate(spans):
            masks = int((ids[b] == probe_claims.MASK).sum())
            if (tuple(p.left), masks) in answers:
                for k, word in enumerate(p.answer):
                    logits[b, len(p.left) + k, word] = 1.0
        return logits

    assert {len(p.answer) for p in spans} != {1}
    assert probe_claims.told_how_many(bert, spans) == 1.0
    assert probe_claims.told_how_many(lambda ids: torch.zeros(*ids.shape, VOCAB), spans) == 0.0
