"""What notebook 06 states about losses on new texts and about prefixes: its own models, trained with the course's answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional as F

from benchmarks.claims.measure.cells import names_of
from benchmarks.experiments.probe_claims import senses as senses_in
from benchmarks.experiments.probe_table import PARTS as PARTS_OF_MODELS
from benchmarks.experiments.probe_table import trained
from benchmarks.paths import ROOT
from course_utils.corpora.stories import (
    CLS,
    LONGEST,
    NAMES,
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
from course_utils.lessons.probe_models import MODELS, Seq2Seq, new_model, padded, text_loss, train_by, written
from course_utils.lessons.probe_runs import TEXTS
from solutions.reference import probes

READERS = range(600, 603)  # the seeds of the trainings that come with the course
SEEDS = range(8)
PRETRAINED = range(600, 601)  # seeds of T5s to begin with
STEPS, SENTENCES, NEW = 300, 500, 300  # as in the notebook
UNTRAINED = range(600, 624)
MORE = range(606, 610)  # trainings beyond those of probe_claims
FROM = (600, 601)  # pretrained T5s that section 9's finetunings begin with
JUDGES = range(4)  # seeds of next-sentence judges; 0 is the notebook's
MARKS, PEOPLE = encode("owns wants still saw goes"), set(encode(" ".join(NAMES)))
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


def form_alone() -> dict[str, Any]:
    """Right verdicts of section 5's judge and of its form alone, by group; other seeds have other weights and pairs."""
    return {str(seed): _judged(seed) for seed in JUDGES}


def _judged(seed: int) -> dict[str, dict[str, float]]:
    scope = names_of("06_pretraining")
    documents, held_out = corpus(0, 3000), corpus("held out", 500)
    train = scope["next_sentence_pairs"](documents, CLS, SEP, random.Random(2 * seed + 1))
    test = scope["next_sentence_pairs"](held_out, CLS, SEP, random.Random(2 * seed + 2))
    torch.manual_seed(seed)
    judge = scope["PairClassifier"](scope["Reader"](VOCAB, LONGEST, layers=1), 64)

    def batch(draw: random.Random) -> torch.Tensor:
        rows = draw.sample(train, 64)
        labels = torch.tensor([row[2] for row in rows])
        return F.cross_entropy(judge(padded([row[0] for row in rows]), padded([row[1] for row in rows])), labels)

    scope["train_reader"](judge, batch, 450)
    with torch.no_grad():
        said = judge.eval()(padded([row[0] for row in test]), padded([row[1] for row in test])).argmax(-1).tolist()
    votes: Counter[Any] = Counter()
    for row in train:
        votes[_form(row)] += 2 * row[2] - 1
    groups = [_group(row) for row in test]
    found: dict[str, dict[str, float]] = {}
    for name in ("all", *sorted(set(groups))):
        kept = [k for k, group in enumerate(groups) if name in ("all", group)]
        labels = [test[k][2] for k in kept]
        found[name] = {
            "model": sum(said[k] == test[k][2] for k in kept) / len(kept),
            "form": sum((votes[_form(test[k])] > 0) == bool(test[k][2]) for k in kept) / len(kept),
            "label": max(sum(labels), len(labels) - sum(labels)) / len(kept),
        }
    return found


def _form(row: Any) -> tuple[Any, ...]:
    return tuple((word, side) for word, side in zip(row[0], row[1], strict=True) if word in MARKS)


def _group(row: Any) -> str:
    a, b = ({w for w, s in zip(row[0], row[1], strict=True) if s == side} & PEOPLE for side in (0, 1))
    return "nobody" if not b else "only B" if not a else "A's person" if a & b else "another"


def untrained() -> dict[str, Any]:
    """Section 8's two numbers for models before their first step: many more seeds than were trained."""
    return {
        name: [senses_in(name, new_model(name, PARTS_OF_MODELS, seed).eval()) for seed in UNTRAINED] for name in MODELS
    }


def more_senses() -> dict[str, Any]:
    """The same for more trainings of the models whose numbers training may change either way, before and after."""
    return {
        name: [
            {
                "seed": seed,
                "before": senses_in(name, new_model(name, PARTS_OF_MODELS, seed).eval()),
                "after": senses_in(name, trained(name, seed, ROOT / "build" / "probes")[0]),
            }
            for seed in MORE
        ]
        for name in ("ELMo", "BERT")
    }


def from_pretrained() -> list[dict[str, Any]]:
    """Section 9 as its cell does it, from a pretrained T5: several seeds of finetuning for each."""
    found = []
    for seed in FROM:
        start = trained("T5", seed, ROOT / "build" / "probes")[0].state_dict()
        runs = [by_prefix(finetuned(k, probes.mixture, start), k) for k in range(3)]
        found += [{"pretraining": seed, "finetuning": k, "asked": asked} for k, asked in enumerate(runs)]
    return found


PARTS: dict[str, Callable[[], Any]] = {
    "memory": memory,
    "two_tasks": two_tasks,
    "form_alone": form_alone,
    "untrained": untrained,
    "more_senses": more_senses,
    "from_pretrained": from_pretrained,
}
