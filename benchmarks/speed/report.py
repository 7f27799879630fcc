"""Results of the benchmark from timings: ratios, utilisation, a figure, and printed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from matplotlib.figure import Figure
from tqdm.auto import tqdm

from benchmarks.speed.contenders import Contender, Setting
from benchmarks.speed.measure import Timing, busy_seconds, interleave, model_flops_per_token, ratio
from course_utils import plots
from course_utils.model import GPT

BASE = "(a) handout"


def name_of(dtype: torch.dtype) -> str:
    """The short name of a number format."""
    return {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}[dtype]


def race(
    contenders: Mapping[str, Contender], skipped: list[str], rounds: int, device: torch.device
) -> tuple[dict[str, Any], list[str]]:
    """Time all contenders: seconds per step (or question, or batch), and times faster than (a). Each has one warm-up run."""
    with tqdm(total=len(contenders) * (rounds + 1), desc="race", unit="run") as bar:
        for contender in contenders.values():
            contender.run()
            bar.update()
        timings = interleave({n: c.run for n, c in contenders.items()}, rounds, device, bar.update)
    each = {n: Timing(tuple(s / contenders[n].steps for s in t.samples)) for n, t in timings.items()}
    return {
        name: {"what": contenders[name].what, **t.to_json(), "times_faster": ratio(each[BASE], t)}
        for name, t in each.items()
    }, skipped


def gpu_busy(rows: Mapping[str, Any], contenders: Mapping[str, Contender], device: torch.device) -> None:
    """Add to every row the share (0..1) of its time in which the GPU is busy, and seconds per step of ten kernels.

    They are of one more run of the contender.
    """
    for name, row in rows.items():
        brief = contenders[name].part or contenders[name]
        busy, kernels = busy_seconds(brief.run, device)
        row["gpu_busy"] = busy / brief.steps / row["median_s"]
        row["kernels_s"] = {kernel: took / brief.steps for kernel, took in kernels.items()}


def utilisation(found: dict[str, Any], setting: Setting) -> None:
    """Add tokens per second, MFU and the share of this run's ceiling to every contender of the training step."""
    model, size = GPT(setting.model_config), setting.size
    tables = model.token.weight.numel() + size.block_size * size.n_embd  # looked up, not multiplied
    batch = found["batch"]
    for name, row in found["step"].items():
        by_length = name in ("length-sorted", "vectorised corruption")
        tokens = batch["tokens_trimmed" if name.startswith("ours") else "tokens_sorted" if by_length else "tokens_full"]
        width = tokens / setting.config.batch_size
        flops = model_flops_per_token(model.n_params() - tables, size.n_layer, round(width), size.n_embd)
        fast = any(word in name for word in ("bf", "CUDA", "compiled", "float16", "per item"))
        ceiling = found["ceiling_flops"]["bf16" if fast and "bf16" in found["ceiling_flops"] else "fp32"]
        row["tokens_per_s"] = tokens / row["median_s"]
        row["real_tokens_per_s"] = batch["real_tokens"] / row["median_s"]
        row["model_flops_per_s"] = row["tokens_per_s"] * flops
        row["mfu"] = row["model_flops_per_s"] / ceiling
        row["mfu_real"] = row["real_tokens_per_s"] * flops / ceiling


def ladder_figure(step: Mapping[str, Any], device: str) -> tuple[Figure, str]:
    """A figure of times faster than (a) for each contender, with the range over rounds; and its description in words."""
    rows = {name: row["times_faster"] for name, row in step.items()}
    values = {name: r["median"] for name, r in rows.items()}
    intervals = {name: (r["min"], r["max"]) for name, r in rows.items()}
    figure = plots.bars(values, "times faster than the handout's step", intervals)
    axes = figure.axes[0]
    axes.tick_params(axis="x", rotation=35)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
    alt = f"Bars of training speed on {device}, relative to the handout's step: " + ", ".join(
        f"{name} {value:.1f} times" for name, value in values.items()
    )
    return figure, alt


def summary(found: Mapping[str, Any]) -> str:
    """The results as printed tables."""
    lines = [str(found["machine"])]
    for part, unit in (("step", "training step"), ("evaluation", "question"), ("corruption", "batch corrupted")):
        if part in found:
            lines += [f"\n{unit}: milliseconds, median (range); times faster than (a), median (range)"]
            lines += [_row(name, row) for name, row in found[part].items() if isinstance(row, dict)]
    if "evaluation" in found:
        lines.append(f"answers that equal one-by-one's: {found['evaluation']['same_answers']:.0%}")
    for name, row in found.get("startup", {}).items():
        lines.append(f"start-up {name:24} {row['startup_s']:6.1f} s  peak {row['peak_mib']:6.0f} MiB")
    if "gate" in found:
        lines.append(f"quality gate: {'passed' if found['gate']['passed'] else 'NOT PASSED, claim no speed'}")
    return "\n".join([*lines, *(f"skipped {sentence}" for sentence in found["skipped"])])


def _row(name: str, row: Mapping[str, Any]) -> str:
    """One contender's line."""
    ms = [row[k] * 1e3 for k in ("median_s", "min_s", "max_s")]
    x = row["times_faster"]
    text = f"{name:24} {ms[0]:10.2f} ({ms[1]:.2f}-{ms[2]:.2f})  {x['median']:7.1f}x ({x['min']:.1f}-{x['max']:.1f})"
    if "gpu_busy" in row:
        text += f"  GPU busy {row['gpu_busy']:.0%}"
    if "mfu" in row:
        text += f"  {row['real_tokens_per_s']:8.0f} real tokens/s, MFU {row['mfu']:.0%}"
    return text
