"""The style of all figures: colours that colour-blind people can tell apart, lines that differ in black and white too.

``show`` and ``save`` require a description, for readers who cannot see the figure.
"""

from __future__ import annotations

import base64
import html
import io
import sys
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.metrics import mean_interval

# Okabe & Ito (2008), Color Universal Design; without yellow, which is too light for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)), "-", (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")
SHORTEST_ALT = 30

STYLE: Any = {
    "figure.dpi": 110,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
}


def new_figure(width: float = 6.4, height: float = 4.0, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure in the course's style with ``columns`` plots side by side; sizes in inches.

    It is not registered with pyplot, so a notebook shows it once, when :func:`show` is called.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def styles(n: int) -> list[dict[str, Any]]:
    """Keyword arguments of ``Axes.plot`` for ``n`` series that differ in colour, dashes and marker."""
    looks = zip(cycle(COLOURS), cycle(LINES), cycle(MARKERS), strict=False)
    return [{"color": c, "linestyle": ls, "marker": m} for c, ls, m in islice(looks, n)]


def line(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]], x_label: str, y_label: str, title: str = ""
) -> Figure:
    """Lines from label to (xs, ys); the axis labels name the unit."""
    figure, (ax,) = new_figure()
    for (label, (xs, ys)), look in zip(series.items(), styles(len(series)), strict=True):
        if len(xs) != len(ys):
            raise CourseError(f"The series {label!r} has {len(xs)} x values and {len(ys)} y values; give equally many.")
        ax.plot(xs, ys, label=label, markevery=_every(len(xs)), **look)
    _finish(figure, x_label, y_label, title)
    return figure


def bars(
    values: Mapping[str, float],
    y_label: str,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    title: str = "",
) -> Figure:
    """Bars from label to height, with their value on top and, where given, an interval (low, high) as a whisker."""
    figure, (ax,) = new_figure()
    for i, (label, value) in enumerate(values.items()):
        ax.bar(i, value, 0.65, color=COLOURS[i % 7], hatch=HATCHES[i % 7], edgecolor="white")
        top = value
        if intervals and label in intervals:
            low, top = intervals[label]
            ax.errorbar(i, value, [[value - low], [top - value]], color="black", capsize=5)
        ax.annotate(f"{value:.3g}", (i, max(value, top)), (0, 3), textcoords="offset points", ha="center")
    ax.set_xticks(range(len(values)), list(values))
    ax.grid(visible=False, axis="x")
    _finish(figure, "", y_label, title)
    return figure


def dots(ax: Axes, place: float, values: Sequence[float], step: float = 0.06) -> None:
    """A white dot with a black edge for each value, at ``place`` on the x axis; equal values stand side by side."""
    for value in sorted(set(values)):
        n = list(values).count(value)
        xs = [place + step * (k - (n - 1) / 2) for k in range(n)]
        ax.plot(xs, [value] * n, "o", color="white", markersize=4.5, markeredgecolor="black", zorder=4)


def accuracy_curves(
    histories: Mapping[str, Sequence[Sequence[float]]],
    baseline: float | None = None,
    baseline_label: str = "most frequent answer",
    epochs: Sequence[float] | None = None,
    title: str = "",
    y_label: str = "accuracy on dev (%)",
) -> Figure:
    """Accuracy against epoch: the mean over seeds, with its 95 % confidence band (Student's t) for two seeds or more.

    Args:
        histories: from label to one list per seed, each with the accuracy (0..1) after every epoch.
        baseline: an accuracy (0..1) to compare with, drawn as a grey line.
        epochs: where the values stand on the x axis; 1, 2, 3, … by default.

    Raises:
        CourseError: no values, seeds of different length, or a value outside 0..1.
    """
    figure, (ax,) = new_figure(height=4.6)  # with space for the legend below the plot
    for (label, runs), look in zip(histories.items(), styles(len(histories)), strict=True):
        columns = _by_epoch(label, runs)
        xs = list(epochs) if epochs is not None else list(range(1, len(columns) + 1))
        if len(xs) != len(columns):
            raise CourseError(f"{label!r} has {len(columns)} values for {len(xs)} epochs; give equally many.")
        means, lows, highs = zip(*(_percent(mean_interval(column)) for column in columns), strict=True)
        ax.plot(xs, means, label=f"{label} ({_seeds(len(runs))})", markevery=_every(len(xs)), **look)
        if len(runs) > 1:
            ax.fill_between(xs, lows, highs, color=look["color"], alpha=0.18, linewidth=0)
    if baseline is not None:
        ax.axhline(100 * baseline, color="#666666", linewidth=1.2, label=f"{baseline_label} ({100 * baseline:.1f} %)")
    ax.set_ylim(0, 102)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _finish(figure, "epoch", y_label, title)
    return figure


def _by_epoch(label: str, runs: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    """For every epoch the accuracies of all seeds."""
    lengths = {len(run) for run in runs}
    if len(lengths) != 1 or lengths == {0}:
        raise CourseError(
            f"{label!r} needs one list of accuracies per seed, all of one length; got lengths {sorted(lengths)}."
        )
    if any(not 0 <= value <= 1 for run in runs for value in run):
        raise CourseError(f"{label!r} has an accuracy outside 0..1; give shares, not percentages.")
    return list(zip(*runs, strict=True))


def _percent(numbers: Sequence[float]) -> list[float]:
    """Shares as percentages, cut to what a share can be."""
    return [100 * min(max(number, 0.0), 1.0) for number in numbers]


def _seeds(n: int) -> str:
    return "1 seed, no band" if n == 1 else f"{n} seeds"


def _every(n: int) -> int:
    """Marker spacing that leaves about a dozen markers on a line."""
    return max(1, n // 12)


def _finish(figure: Figure, x_label: str, y_label: str, title: str) -> None:
    """Set the labels, and put the legend below the plot, where it hides no line."""
    ax = figure.axes[0]
    ax.set(xlabel=x_label, ylabel=y_label)
    ax.set_title(title, loc="left")
    if ax.get_legend_handles_labels()[1]:
        # the handles are long enough to tell the dashes apart; where two columns are too wide, nothing may be cut off
        for columns in (2, 1):
            legend = figure.legend(loc="outside lower left", ncols=columns, handlelength=3.2, frameon=False)
            figure.draw_without_rendering()
            if columns == 1 or legend.get_window_extent().x1 <= figure.bbox.x1:
                break
            legend.remove()


# --------------------------------------------------------------------------------------------------- showing, saving


def show(figure: Figure, alt: str) -> None:
    """Show a figure with its description; in a notebook as an image whose alt text stays in the notebook.

    Outside notebooks the description is only attached to the figure (as its label, for a later :func:`save`).

    Args:
        figure: any Matplotlib figure.
        alt: what is drawn, in which units, and what the figure shows, for those who cannot see it. At least 30
            characters.

    Raises:
        CourseError: no or too short a description.
    """
    _describe(figure, alt)
    if _in_notebook():
        from IPython.display import display

        image = base64.b64encode(_png(figure, alt)).decode()
        tag = f'<img alt="{html.escape(alt)}" style="max-width:100%" src="data:image/png;base64,{image}">'
        display({"text/html": tag, "text/plain": alt}, raw=True)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:  # else a notebook would show a pyplot figure twice
        pyplot.close(figure)


def save(figure: Figure, path: str | Path, alt: str) -> Path:
    """Write a figure as PNG, atomically, with its description in the file; returns the path.

    Raises:
        CourseError: too short a description (see :func:`show`), or a folder that cannot be written to.
    """
    _describe(figure, alt)
    write_atomically(path, _png(figure, alt))
    return Path(path)


def _describe(figure: Figure, alt: str) -> None:
    """Attach the description to the figure; raise CourseError if it is too short."""
    if len(" ".join(alt.split())) < SHORTEST_ALT:
        raise CourseError(
            f"A figure needs an alt text of at least {SHORTEST_ALT} characters that says what it shows and what one "
            f"learns from it; got {alt!r}."
        )
    figure.set_label(alt)


def _png(figure: Figure, alt: str) -> bytes:
    """The figure as PNG bytes with the description as metadata."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Description": alt, "Software": None})
    return buffer.getvalue()


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this, as opposed to a script or a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
