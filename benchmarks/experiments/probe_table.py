"""The table of notebook 06: four tiny models, five probes, several seeds.

    python -m benchmarks.experiments.probe_table --seeds 3     # twelve trainings, about six CPU minutes on one core; it resumes

Trained weights are kept in ``build/probes/``; ``data/measured/probe_table.json`` is written at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from tqdm.auto import tqdm

from benchmarks.paths import ROOT
from course_utils.device import set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.lessons.probe_models import MODELS, STEPS, Parts, new_model
from course_utils.lessons.probe_runs import PROBES, QUESTIONS, answers, fingerprint, scores_of, train_on
from solutions.reference import pretraining, probes

FIRST_SEED = 600
PARTS = Parts(
    pretraining.Elmo, pretraining.elmo_loss, pretraining.causal_loss, pretraining.bert_mask, pretraining.t5_spans
)


def trained(name: str, seed: int, folder: Path, steps: int = 0) -> tuple[Any, dict[str, float]]:
    """A model after training, with its last loss and CPU seconds; ``folder`` keeps the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    setting = f"{fingerprint()} {steps or STEPS[name]}"
    path = folder / f"{name}-{seed}-{hashlib.sha256(setting.encode()).hexdigest()[:8]}.safetensors"
    model = new_model(name, PARTS, seed)
    if not path.is_file():
        begin = time.process_time()
        tail = train_on(name, model, PARTS, seed, steps)[-50:]
        about = {"loss": f"{sum(tail) / len(tail):.4f}", "seconds": f"{time.process_time() - begin:.1f}"}
        tensors = {key: t.detach().contiguous() for key, t in model.state_dict().items()}
        write_atomically(path, safetensors.torch.save(tensors, about))
    with safetensors.safe_open(path, framework="pt") as file:  # only trainings are saved; the probes take little time
        model.load_state_dict({key: file.get_tensor(key) for key in file.keys()})  # noqa: SIM118 (not a dict)
        about = file.metadata()
    return model.eval(), {key: float(value) for key, value in about.items()}


def row(name: str, seed: int, folder: Path, steps: int = 0) -> dict[str, Any]:
    """Scores of one model after one training, its last loss and CPU seconds; ``folder`` keeps the weights."""
    model, about = trained(name, seed, folder, steps)
    found = scores_of(answers(name, model, seed), probes.exact_share)
    return {"scores": {probe: round(share, 4) for probe, share in found.items()}, **about}


def table(seeds: Sequence[int], folder: Path, steps: int = 0) -> dict[str, Any]:
    """All rows: ``{"about": …, "runs": [{"seed": …, "scores": {model: {probe: share}}, …}, …]}``."""
    rows: dict[int, dict[str, Any]] = {seed: {} for seed in seeds}
    jobs = [(seed, name) for seed in seeds for name in MODELS]
    for seed, name in tqdm(jobs, unit="model"):
        rows[seed][name] = row(name, seed, folder, steps)
    runs = [
        {"seed": seed, **{key: {m: r[key] for m, r in found.items()} for key in ("scores", "loss", "seconds")}}
        for seed, found in rows.items()
    ]
    about = f"python -m benchmarks.experiments.probe_table, {QUESTIONS} questions per probe, torch {torch.__version__}"
    return {"about": about, "corpus": fingerprint(), "steps": STEPS, "runs": runs}


def ranges(found: dict[str, Any]) -> str:
    """Mean and range of every model and probe as lines of text."""
    lines = [f"{'':34}" + "".join(f"{name:>18}" for name in MODELS)]
    for probe, text in PROBES.items():
        cells = [[run["scores"][name][probe] for run in found["runs"]] for name in MODELS]
        shown = [f"{sum(v) / len(v):.2f} ({min(v):.2f}-{max(v):.2f})" for v in cells]
        lines.append(f"{text:34}" + "".join(f"{cell:>18}" for cell in shown))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the missing models, print the table, write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.probe_table", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds, from 600 on")
    parser.add_argument("--steps", type=int, default=0, help="fewer steps for every model, to try it out")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "probes", help="where trained weights are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "measured" / "probe_table.json")
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        raise CourseError("--seeds must be at least 1.")
    set_threads(1)
    found = table(range(FIRST_SEED, FIRST_SEED + options.seeds), options.folder, options.steps)
    write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    print(ranges(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
