"""Claims of notebook 06 about its four models that are not in the table of probes, tested with more seeds than the table.

    python -m benchmarks.experiments.probe_claims     # 24 trainings, about a quarter of an hour on one core; it resumes

Three questions. Can GPT fill a blank if it may read the sentence with each possible word in it? Can BERT fill a gap when
the number of missing words is given? Do the states at an ambiguous word show its sense, by their nearest neighbours and to
a linear classifier, and did training cause that?
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F
from tqdm.auto import tqdm

from benchmarks.experiments.probe_table import FIRST_SEED, PARTS, trained
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.corpora.stories import FIRST_WORD, MASK, VOCAB, Gap, Tag, blanks, gaps, tags
from course_utils.device import set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.lessons.probe_models import MODELS, new_model, padded, read_out, states_of
from course_utils.lessons.probe_runs import QUESTIONS
from solutions.reference.probes import exact_share, same_sense

OUT = RESULTS / "probe_claims.json"
TRIES = 50  # blanks for which GPT reads the sentence with every possible word
OCCURRENCES, FITTED, NEIGHBOURS = 200, 300, 5  # as in notebook 06


@torch.no_grad()
def by_trying(gpt: Any, holes: Sequence[Gap]) -> float:
    """Share of blanks that GPT fills correctly with the word that makes the whole sentence most probable."""
    words = list(range(FIRST_WORD, VOCAB))
    said = []
    for hole in holes:
        ids = padded([[*hole.left, word, *hole.right] for word in words])  # (V', T), one row a word
        nats = F.cross_entropy(
            gpt(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none"
        )  # (V', T, V) -> (V', T-1)
        said.append([words[int(nats.sum(1).argmin())]])
    return exact_share(said, [hole.answer for hole in holes])


@torch.no_grad()
def told_how_many(bert: Any, spans: Sequence[Gap]) -> float:
    """Share of gaps that BERT fills correctly in one pass with as many MASKs as there are missing words."""
    logits = bert(padded([[*p.left, *[MASK] * len(p.answer), *p.right] for p in spans]))  # (N, T, V)
    places = [slice(len(p.left), len(p.left) + len(p.answer)) for p in spans]
    said = [row[at].argmax(-1).tolist() for row, at in zip(logits, places, strict=True)]
    return exact_share(said, [p.answer for p in spans])


def senses(name: str, model: Any) -> dict[str, float]:
    """Share of the nearest states that have the same sense, and accuracy of a linear classifier of senses."""
    asked, learned_from = tags("neighbours", OCCURRENCES), tags("a linear head", FITTED)
    states, labels = at_word(name, model, asked), [tag.label for tag in asked]
    said = read_out(at_word(name, model, learned_from), [tag.label for tag in learned_from], states)
    right = sum(a == b for a, b in zip(said, labels, strict=True)) / len(labels)
    return {"neighbours": round(same_sense(states, labels, NEIGHBOURS), 4), "linear_head": round(right, 4)}


def at_word(name: str, model: Any, found: Sequence[Tag]) -> torch.Tensor:
    """The states (N, D) at the words in question."""
    states = states_of(name, model, [tag.line for tag in found])  # (N, T, D)
    return states[range(len(found)), [tag.place for tag in found]]  # (N, T, D) -> (N, D)


def claims(seed: int, folder: Path, steps: int = 0) -> dict[str, Any]:
    """The answers to all three questions for one seed."""
    models = {name: trained(name, seed, folder, steps)[0] for name in MODELS}
    return {
        "seed": seed,
        "gpt_blank_by_trying": by_trying(models["GPT"], blanks(f"test {seed}", TRIES)),
        "bert_gap_told_how_many": round(told_how_many(models["BERT"], gaps(f"test {seed}", QUESTIONS)), 4),
        "senses": {name: senses(name, model) for name, model in models.items()},
        "senses_untrained": {name: senses(name, new_model(name, PARTS, seed).eval()) for name in MODELS},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the missing models, measure, write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.probe_claims", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=6, help="how many seeds, from 600 on")
    parser.add_argument("--steps", type=int, default=0, help="fewer steps for every model, to try it out")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "probes", help="where trained weights are kept")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        raise CourseError("--seeds must be at least 1.")
    set_threads(1)
    runs = []
    for seed in tqdm(range(FIRST_SEED, FIRST_SEED + options.seeds), unit="seed"):
        runs.append(claims(seed, options.folder, options.steps))
        tqdm.write(json.dumps(runs[-1]))
    found = {"machine": machine(torch.device("cpu")), "runs": runs}
    write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
