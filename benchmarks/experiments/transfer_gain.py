"""The gain by pretraining in notebook 05 on fresh worlds: `python -m benchmarks.experiments.transfer_gain --worlds 6`.

A world is here a generated corpus of reviews. About three CPU minutes per world; finished worlds are saved. The grader
requires that the 95 % intervals of both gains (after one epoch, and of the area between the curves) lie above 0, so their
lower ends over fresh worlds show how far a right submission is from failing.
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

from benchmarks.paths import RESULTS
from benchmarks.speed.measure import machine
from course_utils.corpora import reviews
from course_utils.device import pick_device, set_threads
from course_utils.engine.files import write_atomically
from course_utils.lessons.transfer import SIZES, bag_of_words, corpus_entropy, load_reviews, word_vectors_alone
from course_utils.metrics import mean_interval
from solutions.reference import transfer
from solutions.reference.transfer_runs import CONDITIONS, compare, encoded, pretrain

OUT = RESULTS / "transfer_gain.json"
PRETRAIN_EPOCHS, FINETUNE_EPOCHS = 16, 8  # as in the notebook


def world(seed: int, runs: int) -> dict[str, Any]:
    """One world: gains with intervals over ``runs`` paired seeds, accuracies after the last epoch, those of readers that do
    not mind the order of the words, all as shares of 1; losses on dev in nats per token."""
    with tempfile.TemporaryDirectory() as folder:
        reviews.generate(f"gain {seed}").write(Path(folder) / "public", hidden=Path(folder) / "private")
        data, entropy = load_reviews(Path(folder) / "public"), corpus_entropy(Path(folder) / "public")
    ids = encoded(data)
    language = pretrain(data, ids, PRETRAIN_EPOCHS)
    curves = compare(language, data, ids, runs, FINETUNE_EPOCHS)
    torch.manual_seed(0)
    untrained = transfer.TextModel(len(data.pieces) + 4, 2, *SIZES)
    pairs = list(zip(curves["from scratch"], curves["pretrained"], strict=True))
    first = [p[0] - s[0] for s, p in pairs]
    return {
        "first": mean_interval(first),
        "first_of_five": mean_interval(first[:5]),
        "area": mean_interval([(sum(p) - sum(s)) / len(p) for s, p in pairs]),
        "end": {condition: sum(run[-1] for run in curves[condition]) / runs for condition in CONDITIONS},
        "ends": {condition: [run[-1] for run in curves[condition]] for condition in CONDITIONS},
        "bag_of_words": bag_of_words(data),
        "word_vectors": word_vectors_alone(language.base.embedding.weight, ids, data),
        "word_vectors_untrained": word_vectors_alone(untrained.base.embedding.weight, ids, data),
        "dev_loss": transfer.token_loss(language.eval(), ids["dev"]),
        "entropy": entropy,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write all worlds; 1 if a right submission would fail in one of them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.transfer_gain", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--runs", type=int, default=10, help="seeds per condition, as in the notebook (10)")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(argv)
    set_threads(1)
    found = json.loads(options.out.read_text(encoding="utf-8"))["worlds"] if options.out.is_file() else {}
    for seed in tqdm([s for s in range(options.worlds) if str(s) not in found], unit="world"):
        found[str(seed)] = world(seed, options.runs)
        content = {"machine": machine(pick_device("cpu")), "runs": options.runs, "worlds": found}
        write_atomically(options.out, json.dumps(content, indent=1) + "\n")
    for seed, one in found.items():
        first, five, area = (
            "{:+.0f} ({:+.0f} to {:+.0f})".format(*(100 * x for x in one[k]))
            for k in ("first", "first_of_five", "area")
        )
        ends = ", ".join(f"{condition} {100 * share:.0f} %" for condition, share in one["end"].items())
        orderless = f"bag of words {100 * one['bag_of_words']:.0f} %, word vectors {100 * one['word_vectors']:.0f} %"
        print(f"world {seed}: epoch 1 {first} points, of five seeds {five}; area {area}; ends: {ends}, {orderless}")
    return 1 if any(one["first"][1] <= 0 or one["area"][1] <= 0 for one in found.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
