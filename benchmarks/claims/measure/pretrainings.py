"""Several pretrainings of notebook 05 on several corpora: `python -m benchmarks.claims.measure.pretrainings`.

A release draws a corpus of its own, and a student's pretraining draws its own numbers. So what the notebook states about
one pretraining on one corpus is asked here of several: three corpora, three seeds of pretraining each, with dropout on the
sum of embeddings and positions, then one each without it. About two CPU minutes each; finished ones are saved, so a file may
hold a part of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from benchmarks.claims.measure import n05_transfer as lesson
from benchmarks.paths import RESULTS
from benchmarks.speed.measure import machine
from course_utils.corpora import reviews
from course_utils.device import pick_device, set_threads
from course_utils.engine.files import write_atomically
from course_utils.lessons.transfer import SIZES, bag_of_words, corpus_entropy

OUT = RESULTS / "transfer_pretrainings.json"
CORPORA, SEEDS = (5, 6, 7), (0, 1, 2)
WITH, WITHOUT = "dropout on the sum", "no dropout on the sum"
ARMS: dict[str, tuple[dict[str, Any], int]] = {  # how to finetune, and with how many seeds
    "pretrained": ({}, 5),
    "frozen base": ({"frozen": True}, 3),
    "verdict at padding": ({"at_padding": True}, 3),
    "frozen, high rate": ({"frozen": True, "head_rate": 3e-2}, 3),
}
UNTRAINED = 6


def scope_of(corpus: int) -> dict[str, Any]:
    """The notebook's names with a generated corpus."""
    with tempfile.TemporaryDirectory() as folder:
        reviews.generate(f"gain {corpus}").write(Path(folder) / "public", hidden=Path(folder) / "private")
        scope = lesson.prepared(Path(folder) / "public")
        return {**scope, "entropy": corpus_entropy(Path(folder) / "public")}


def pretraining(scope: dict[str, Any], seed: int, dropout: bool) -> dict[str, Any]:
    """One pretraining: its loss on dev, its word vectors, and what comes of it when it is finetuned."""
    if dropout:
        model, loss = lesson.pretrained(scope, seed)
    else:
        with lesson.changed(scope["Base"], lesson.no_dropout_on_sum):
            model, loss = lesson.pretrained(scope, seed)
    arms: dict[str, list[dict[str, float]]] = {}
    for name, (how, runs) in ARMS.items():
        with lesson.changed(scope["Base"], scope["Base"].forward if dropout else lesson.no_dropout_on_sum):
            arms[name] = [lesson.read(scope, lesson.trained(scope, model, k, **how)) for k in range(runs)]
    return {
        "dev_loss": loss,
        "above": loss - scope["entropy"],
        "word_vectors": lesson.word_vectors(scope, model),
        "arms": arms,
    }


def without_pretraining(scope: dict[str, Any]) -> dict[str, Any]:
    """What the probe of section 11 finds in networks that read no review: bases never trained, and ones from scratch."""
    found: dict[str, Any] = {"from scratch": [], "untrained base": [], "untrained base, random head": []}
    for seed in range(UNTRAINED):
        fresh = lesson.fresh(scope, seed)
        found["untrained base"].append(lesson.read(scope, lesson.trained(scope, fresh, seed, frozen=True)))
        found["from scratch"].append(lesson.read(scope, lesson.trained(scope, fresh, seed)))
        torch.manual_seed(seed)
        judge = lesson.Verdict(scope["transfer"](fresh, 2), scope["last_token"])
        found["untrained base, random head"].append(lesson.read(scope, judge))
    vectors = [lesson.word_vectors(scope, lesson.fresh(scope, seed)) for seed in range(UNTRAINED)]
    return {
        **found,
        "word_vectors": vectors,
        "bag_of_words": bag_of_words(scope["data"]),
        "hollow": len(lesson.never_labelled(scope)),
        "entropy": scope["entropy"],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write all that is not on file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.claims.measure.pretrainings", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(argv)
    set_threads(1)
    assert SIZES[-1] > 0  # else both kinds of pretraining were the same
    found: dict[str, Any] = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
    runs = found.setdefault("runs", {WITH: {}, WITHOUT: {}})
    bare = found.setdefault("without_pretraining", {})
    wanted = [(WITH, c, s) for s in SEEDS for c in CORPORA]
    wanted += [(WITHOUT, c, 0) for c in CORPORA]
    for kind, corpus, seed in tqdm([w for w in wanted if f"{w[1]}, {w[2]}" not in runs[w[0]]], unit="pretraining"):
        scope = scope_of(corpus)
        if str(corpus) not in bare:
            bare[str(corpus)] = without_pretraining(scope)
        runs[kind][f"{corpus}, {seed}"] = pretraining(scope, seed, kind == WITH)
        content = {"machine": machine(pick_device("cpu")), **{k: v for k, v in found.items() if k != "machine"}}
        write_atomically(options.out, json.dumps(rounded(content), indent=1) + "\n")
    return 0


def rounded(value: Any) -> Any:
    """The same with every number to five significant digits."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner) for inner in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


if __name__ == "__main__":
    raise SystemExit(main())
