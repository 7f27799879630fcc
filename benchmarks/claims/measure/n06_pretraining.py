"""What notebook 06 states about losses on new texts and about prefixes: its own models, trained with the course's answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional as F

from benchmarks.experiments.probe_table import trained
from benchmarks.paths import ROOT
from course_utils.corpora.stories import (
    CLS,
    LONGEST,
    PAD,
    SEP,
    TASKS,
    VOCAB,
    answer_of,
    as_line,
    corpus,
    encode,
    entropy_per_token,
    senses,
    true_nats,
)
from course_utils.lessons.probe_models import Seq2Seq, padded, text_loss, train_by, written
from course_utils.lessons.probe_runs import TEXTS
from solutions.reference import probes

READERS = range(600, 603)  # the seeds of the trainings that come with the course
SEEDS = range(8)
PRETRAINED = range(600, 601)  # seeds of T5s to begin with
STEPS, SENTENCES, NEW = 300, 500, 300  # as in the notebook
Pairs = list[tuple[list[int], list[int]]]


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {name: part() for name, part in PARTS.items()}


def memory() -> dict[str, Any]:
    """Loss of trained GPTs above the grammar's own surprise at the same texts: texts trained on, and new ones."""
    rows = {}
    for seed in READERS:
        model, about = trained("GPT", seed, ROOT / "build" / "probes")
        read = corpus(f"texts {seed}", TEXTS)[:1000]
        held_out = beyond_truth(model, corpus(f"held out {seed}", 1000))
        rows[str(seed)] = {"last_steps": about["loss"], "read": beyond_truth(model, read), "held_out": held_out}
    return {"entropy": entropy_per_token(), "runs": rows}


@torch.no_grad()
def beyond_truth(model: Any, documents: Sequence[Any]) -> dict[str, float]:
    """Mean loss in nats per predicted token, and how far it is above -ln of the grammar's probability."""
    lines = [as_line(document) for document in documents]
    tokens, nats = sum(len(line) - 1 for line in lines), 0.0
    for start in range(0, len(lines), 100):
        ids = padded(lines[start : start + 100])
        logits = model(ids)[:, :-1].transpose(1, 2)  # (B, T, V) -> (B, V, T-1)
        nats += float(F.cross_entropy(logits, ids[:, 1:], ignore_index=PAD, reduction="sum"))
    return {"loss": nats / tokens, "beyond_truth": (nats - sum(map(true_nats, lines))) / tokens}


def two_tasks() -> dict[str, Any]:
    """Shares of right answers with the right prefix, the other's and none: trained with prefixes, and without any."""
    starts = {seed: trained("T5", seed, ROOT / "build" / "probes")[0].state_dict() for seed in PRETRAINED}
    return {
        "fresh": [by_prefix(finetuned(seed, probes.mixture), seed) for seed in SEEDS],
        "pretrained": [by_prefix(finetuned(seed, probes.mixture, start), seed) for seed, start in starts.items()],
        "without_prefixes": [by_prefix(finetuned(seed, bare_mixture), seed) for seed in SEEDS],
    }


def bare_mixture(sentences: list[list[int]], rng: random.Random) -> Pairs:
    """The same pairs with no prefix: each source has two targets."""
    return [([CLS, *source[2:]], target) for source, target in probes.mixture(sentences, rng)]


def finetuned(seed: int, mixture: Callable[[list[list[int]], random.Random], Pairs], start: Any = None) -> Seq2Seq:
    """A T5 trained on a mixture of both tasks, from these weights or from fresh ones."""
    torch.manual_seed(seed)
    model = Seq2Seq(VOCAB, LONGEST)
    if start is not None:
        model.load_state_dict(start)
    pairs = mixture(senses(f"finetuning {seed}", SENTENCES), random.Random(seed))
    train_by(model, lambda batch: text_loss(model, batch), pairs, STEPS, seed)
    return model.eval()


def by_prefix(model: Seq2Seq, seed: int) -> dict[str, dict[str, float]]:
    """Shares of new sentences answered rightly, and with the other task's answer, for each task and prefix."""
    sentences, found = senses(f"new {seed}", NEW), {}
    for task, other in zip(TASKS, reversed(TASKS), strict=True):
        right, wrong = ([encode(answer_of(name, sentence)) for sentence in sentences] for name in (task, other))
        sources = [probes.as_text(task, sentence)[0] for sentence in sentences]
        asked = {
            "own": sources,
            "other": [[CLS, *encode(other), *source[2:]] for source in sources],
            "none": [[CLS, *source[2:]] for source in sources],
        }
        said = {prefix: written(model, given, 2, (SEP,)) for prefix, given in asked.items()}
        found[task] = {prefix: _share(rows, right) for prefix, rows in said.items()}
        found[task] |= {f"{prefix}, the other task's answer": _share(rows, wrong) for prefix, rows in said.items()}
    return found


def _share(said: Sequence[Any], wanted: Sequence[Any]) -> float:
    return sum(a == b for a, b in zip(said, wanted, strict=True)) / len(wanted)


PARTS: dict[str, Callable[[], Any]] = {"memory": memory, "two_tasks": two_tasks}
