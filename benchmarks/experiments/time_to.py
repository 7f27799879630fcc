"""Training time until 90 % of held-out people are answered: `python -m benchmarks.experiments.time_to --seeds 5`.

The learning rate falls to zero at the end of a training, so every length needs its own. For each world (a generated corpus)
the ladder, a list of (seconds, accuracy), has one pretraining per length, each followed by the profile's finetuning. The
time to the aim is interpolated on each world's ladder; mean and 95 % interval are over worlds. Finished runs are saved in
the result file. Seconds are CPU seconds of one thread, about equal to wall time on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from tqdm import tqdm

from benchmarks.paths import RESULTS
from benchmarks.speed.measure import machine
from course_utils import plots
from course_utils.config import LAPTOP
from course_utils.corpora.world import generate
from course_utils.device import pick_device, seed_everything, set_threads
from course_utils.engine.engine import pick_engine
from course_utils.engine.files import write_atomically
from course_utils.metrics import mean_interval
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import NameDataset, accuracy
from solutions.reference.span_corruption import corrupted_epochs

OUT = RESULTS / "time_to.json"
FIRST_SEED = 9000  # of worlds that are used for nothing else
STEPS = (400, 600, 800, 1000)
AIM = 0.9


def run(seed: int, steps: int) -> dict[str, float]:
    """Pretrain for `steps`, finetune, evaluate: accuracy on test people in [0, 1] and CPU seconds of the trainings."""
    world, engine = generate(f"time {seed}"), pick_engine("cpu")
    vocab = Vocabulary.from_text("\n".join(world.wiki))
    seed_everything(seed)
    model = GPT(LAPTOP.model_for(len(vocab)))
    began = time.process_time()
    source = corrupted_epochs(world.wiki, vocab, model.config.block_size, seed)
    train(model, source, replace(LAPTOP.pretrain, steps=steps, seed=seed), progress=False, engine=engine)
    questions = NameDataset(world.train, vocab, model.config.block_size)
    train(model, questions, replace(LAPTOP.finetune, seed=seed), progress=False, engine=engine)
    seconds = time.process_time() - began
    return {"accuracy": accuracy(model, vocab, world.test), "seconds": seconds}


def reached(ladder: Sequence[tuple[float, float]], aim: float = AIM) -> float | None:
    """Seconds at which a ladder of (seconds, accuracy) first reaches `aim`, by linear interpolation.

    If its first entry is above the aim, that entry's seconds, an upper bound; None if it does not reach the aim.
    """
    ladder = sorted(ladder)
    if ladder[0][1] >= aim:
        return ladder[0][0]
    for (t0, a0), (t1, a1) in pairwise(ladder):
        if a0 < aim <= a1:
            return t0 + (aim - a0) / (a1 - a0) * (t1 - t0)
    return None


def summary(runs: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Accuracy per length, and the time to the aim, each with mean and 95 % interval over worlds."""
    seeds = sorted({int(key.split("/")[0]) for key in runs})
    lengths = sorted({int(key.split("/")[1]) for key in runs})
    each = {n: [runs[f"{s}/{n}"] for s in seeds if f"{s}/{n}" in runs] for n in lengths}
    ladders = [
        [(runs[f"{s}/{n}"]["seconds"], runs[f"{s}/{n}"]["accuracy"]) for n in lengths]
        for s in seeds
        if all(f"{s}/{n}" in runs for n in lengths)  # complete ladders only
    ]
    found = [reached(ladder) for ladder in ladders]
    known = [t for t in found if t is not None]
    return {
        "aim": AIM,
        "seconds_to_aim": mean_interval(known) if len(known) > 1 else None,
        "worlds": len(ladders),
        "never": len(found) - len(known),
        "accuracy": {
            n: {
                "mean_low_high": mean_interval([r["accuracy"] for r in rows]) if len(rows) > 1 else None,
                "min": min(r["accuracy"] for r in rows),
                "seconds": sum(r["seconds"] for r in rows) / len(rows),
            }
            for n, rows in each.items()
        },
    }


def draw(told: dict[str, Any], device: str) -> None:
    """Save a figure of accuracy against seconds with error bars beside the result file."""
    figure, (axes,) = plots.new_figure()
    rows = list(told["accuracy"].values())
    x, means = [r["seconds"] for r in rows], [100 * r["mean_low_high"][0] for r in rows]
    low, high = ([100 * abs(r["mean_low_high"][k] - r["mean_low_high"][0]) for r in rows] for k in (1, 2))
    axes.errorbar(x, means, yerr=[low, high], marker="o", capsize=4, color="black", label="mean, 95 % interval")
    axes.axhline(100 * told["aim"], color="black", linestyle="--", label=f"{told['aim']:.0%}")
    axes.set(
        xlabel="pretraining and finetuning (CPU seconds, one core)", ylabel="test people answered (%)", title=device
    )
    axes.legend()
    spoken = ", ".join(f"{m:.0f} % after {s:.0f} s" for m, s in zip(means, x, strict=True))
    plots.save(figure, OUT.with_suffix(".png"), f"Accuracy on test people against seconds of training: {spoken}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the missing trainings, print and write the result."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.time_to", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, nargs="+", default=list(STEPS))
    options = parser.parse_args(argv)
    set_threads(1)
    runs = json.loads(OUT.read_text(encoding="utf-8"))["runs"] if OUT.is_file() else {}
    jobs = [(FIRST_SEED + s, n) for s in range(options.seeds) for n in options.steps]
    about = machine(pick_device("cpu"))
    for seed, steps in tqdm([job for job in jobs if f"{job[0]}/{job[1]}" not in runs], unit="run"):
        runs[f"{seed}/{steps}"] = run(seed, steps)
        content = {"machine": about, "summary": summary(runs), "runs": runs}
        write_atomically(OUT, json.dumps(content, indent=1) + "\n")
    told = summary(runs)
    draw(told, about["device"])
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
