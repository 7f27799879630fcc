"""Means, intervals and the picture of ``benchmarks.experiments.french_reviews``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course_utils import plots
from course_utils.metrics import mean_interval

Runs = Mapping[
    str, Mapping[str, Mapping[str, Mapping[str, float]]]
]  # labels -> condition -> seed -> accuracy, CPU seconds
DIFFERENCES = {
    "pretrained minus from scratch": ("pretrained", "from scratch"),
    "pretrained on the training texts minus from scratch": ("pretrained on the training texts", "from scratch"),
    "pretrained minus word vectors": ("pretrained", "word vectors"),
    "pretrained minus bag of words": ("pretrained", "bag of words"),
}


def summary(runs: Runs) -> dict[str, dict[str, list[float]]]:
    """For each number of labels: mean and 95 % interval (mean, low, high) of every condition, as shares.

    So it is for paired differences. What has fewer than two seeds is left out.
    """
    told: dict[str, dict[str, list[float]]] = {}
    for labels, conditions in sorted(runs.items(), key=lambda item: int(item[0])):
        values = {
            condition: {seed: run["accuracy"] for seed, run in found.items()} for condition, found in conditions.items()
        }
        rows = {condition: list(found.values()) for condition, found in values.items()}
        for name, (one, other) in DIFFERENCES.items():
            if one in values and other in values:
                both = sorted(set(values[one]) & set(values[other]))
                rows[name] = [values[one][seed] - values[other][seed] for seed in both]
        told[labels] = {name: list(mean_interval(found)) for name, found in rows.items() if len(found) > 1}
    return told


def draw(record: Mapping[str, Any], path: Path) -> Path:
    """Save the picture: accuracy against labels, every run a dot, means joined, 95 % intervals as bars."""
    figure, (ax,) = plots.new_figure(7.4, 4.8)
    conditions = list(dict.fromkeys(condition for found in record["runs"].values() for condition in found))
    spoken = []
    for place, (condition, look) in enumerate(zip(conditions, plots.styles(len(conditions)), strict=True)):
        shift = 1.035 ** (
            place - (len(conditions) - 1) / 2
        )  # beside each other, so that bars and dots can be told apart
        rows = [(int(n), row[condition]) for n, row in record["summary"].items() if condition in row]
        for n, found in record["runs"].items():
            dots = [100 * run["accuracy"] for run in found.get(condition, {}).values()]
            face = {"color": look["color"], "marker": look["marker"], "linestyle": ""}
            ax.plot([int(n) * shift] * len(dots), dots, markersize=3.2, alpha=0.45, **face)
        x, mean = [n * shift for n, _ in rows], [100 * row[0] for _, row in rows]
        bars = [[100 * (row[0] - row[1]) for _, row in rows], [100 * (row[2] - row[0]) for _, row in rows]]
        ax.errorbar(x, mean, yerr=bars, capsize=3, label=condition, markeredgecolor="black", **look)
        spoken.append(f"{condition} {', '.join(f'{m:.0f}' for m in mean)} %")
    counts = sorted(map(int, record["runs"]))
    ax.axhline(50, color="black", linewidth=1, linestyle=":")
    ax.text(counts[0], 50.4, "guessing: 50 %", fontsize=8)
    ax.set_xscale("log")
    ax.set_xticks(counts, [f"{n:,}" for n in counts])
    ax.minorticks_off()
    seeds = max(len(found) for conditions_of in record["runs"].values() for found in conditions_of.values())
    ax.set(xlabel="labelled reviews", ylabel="dev reviews judged rightly (%)")
    ax.set_title(f"French book reviews, {seeds} seeds; dots are runs, bars 95 % intervals of the mean", fontsize=9)
    ax.legend(fontsize=8, loc="upper left")
    names = ", ".join(f"{n:,}" for n in counts)
    return plots.save(
        figure, path, f"Accuracy on dev reviews against the number of labels ({names}): {'; '.join(spoken)}."
    )
