"""Accuracy on people not trained, against minutes and against readings of every document: one figure of a record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.original.run import Run
from course_utils import plots
from course_utils.metrics import mean_interval

MARKERS = "osD^vPX*<"
LINES = ("-", "--", ":", "-.")  # of the same groups, on their way; marker and line come again together after 36 groups


def draw(runs: Sequence[Run], path: Path) -> Path:
    """Save the figure of the runs of one split: a line for each run on its way, a filled mark for each end.

    The marks on the way are models whose learning rate had not fallen yet; they are lower than a run of that length.
    """
    figure, (left, right) = plots.new_figure(10.4, 4.2, columns=2)
    groups = list(dict.fromkeys((r.recipe, r.readings) for r in runs))
    for (recipe, readings), marker, line in zip(groups, cycle(MARKERS), cycle(LINES), strict=False):
        mine = [r for r in runs if (r.recipe, r.readings) == (recipe, readings)]
        for i, r in enumerate(mine):
            shares = [100 * p.right / r.people for p in r.curve]
            label = f"{recipe}, {readings} readings, {_seeds(mine)}: at its end" if i == 0 else None
            way = f"{recipe}, on the way: learning rate still high" if i == 0 and r.curve else None
            for axes, x, end in (
                (left, [p.seconds / 60 for p in r.curve], r.seconds / 60),
                (right, [p.readings for p in r.curve], r.readings),
            ):
                axes.plot(
                    x, shares, color="0.4", linewidth=0.9, linestyle=line, marker=marker, markersize=2.5, label=way
                )
                axes.plot([end], [100 * r.right / r.people], marker, color="black", markersize=6, label=label)
    for axes in (left, right):
        _baselines(axes, runs[0])
    left.set(xlabel=f"pretraining ({_minutes(runs[0])})", ylabel=f"right of {runs[0].people} people not trained (%)")
    right.set(xlabel="readings of every document", title="")
    left.legend(fontsize=7, loc="upper left")
    return plots.save(figure, path, spoken(runs))


def _minutes(r: Run) -> str:
    """What a run's minutes are of."""
    on_cpu = "(" in r.machine["device"]  # a processor is named with its cores
    return "CPU minutes, one thread" if on_cpu else f"minutes on one {r.machine['device']}"


def _seeds(runs: Sequence[Run]) -> str:
    return f"seed{'s' * (len(runs) > 1)} {', '.join(str(r.seed) for r in runs)}"


def _baselines(axes: Axes, r: Run) -> None:
    """What needs no pretraining, as horizontal lines."""
    kinds = [
        (r.expression, "regular expression that sees the document", "--"),
        (r.frequent, "always the most frequent town", ":"),
    ]
    if r.scratch is not None:
        kinds.append((r.scratch, f"finetuned without pretraining, seed {r.seed}", "-."))
    for count, label, style in kinds:
        axes.axhline(100 * count / r.people, color="black", linestyle=style, linewidth=0.9, label=label)
    axes.set_ylim(-2, 1.6 * max(axes.get_ylim()[1], 1))  # a line at 0 is seen, and the legend has room above the others


def spoken(runs: Sequence[Run]) -> str:
    """The figure in words."""
    parts = []
    for recipe, readings in dict.fromkeys((r.recipe, r.readings) for r in runs):
        mine = [r for r in runs if (r.recipe, r.readings) == (recipe, readings)]
        mean = mean_interval([100 * r.right / r.people for r in mine])[0]
        minutes = sum(r.seconds for r in mine) / len(mine) / 60
        parts.append(f"{recipe} after {readings} readings and {minutes:.1f} {_minutes(mine[0])} {mean:.0f} %")
    first = runs[0]
    scratch = "" if first.scratch is None else f", a model without pretraining {first.scratch}"
    return (
        f"People not trained who are answered rightly, against minutes and against readings: {'; '.join(parts)}. "
        f"A regular expression that sees the document has {first.expression} of {first.people}, the most frequent town "
        f"{first.frequent}{scratch}."
    )
