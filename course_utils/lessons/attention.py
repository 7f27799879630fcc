"""Helpers of notebook 01: orthonormal keys, noise around them, sliders and figures for demonstrations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from course_utils import plots


def orthonormal(n: int, d: int, rng: torch.Generator) -> Tensor:
    """n random unit vectors in R^d, mutually orthogonal, as the rows of a float64 tensor (n, d). Needs n <= d."""
    columns = torch.linalg.qr(torch.randn(d, n, generator=rng, dtype=torch.float64))[0]  # (d, n)
    return columns.T.contiguous()  # (d, n) -> (n, d)


def jitter(mu: Tensor, variance: float, trials: int, rng: torch.Generator) -> Tensor:
    """``trials`` noisy copies of the rows of mu (n, d), each coordinate with the given variance: (trials, n, d)."""
    noise = torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    return mu + math.sqrt(variance) * noise


def slider(draw: Callable[[float], None], low: float, high: float, start: float, label: str, step: float = 0.5) -> None:
    """Show a slider that calls ``draw(value)``; without ipywidgets, call ``draw(start)`` once."""
    try:
        import ipywidgets
    except ImportError:
        draw(start)
        return
    handle = ipywidgets.FloatSlider(value=start, min=low, max=high, step=step, description=label)
    handle.continuous_update = False  # draw once when the slider is released

    def redraw(value: float) -> None:
        # ipywidgets finds the parameter by its name, `value`; that of draw may be another
        draw(value)

    ipywidgets.interact(redraw, value=handle)


def weight_bars(panels: dict[str, Tensor]) -> Figure:
    """Attention weights as bars over the position 1..n, the axis from 0 to 1: one panel for each title and weights (n,)."""
    figure, axes = plots.new_figure(6.4 if len(panels) == 1 else 10.0, 3.0, columns=len(panels))
    for ax, (title, weights) in zip(axes, panels.items(), strict=True):
        ax.bar(range(1, len(weights) + 1), weights.tolist(), 0.65, color=plots.COLOURS[0], edgecolor="black")
        ax.set(xlabel="position i of the key", ylim=(0, 1.02), title=title)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))  # a position is a whole number
        ax.label_outer()
    axes[0].set_ylabel("attention weight (share of 1)")
    return figure


def plane(ax: Any, points: Tensor, title: str) -> None:
    """Outputs in the (v_a, v_b) plane: points (S, 2) are shares of v_a and v_b; both values and their mean are marked."""
    ax.plot(
        *points.T.tolist(), linestyle="", marker="o", markersize=3, alpha=0.35, color=plots.COLOURS[0], label="samples"
    )
    corners = {"$v_a$": (1, 0, "s"), "$v_b$": (0, 1, "^"), "their mean": (0.5, 0.5, "X")}
    for label, (x, y, marker) in corners.items():
        # behind the samples, or it would hide those that lie on it
        ax.plot(
            x, y, marker=marker, markersize=13, color="black", fillstyle="none", linestyle="", label=label, zorder=1
        )
    ax.set(xlabel="share of $v_a$ in c", ylabel="share of $v_b$ in c", xlim=(-0.1, 1.1), ylim=(-0.1, 1.1), title=title)
    ax.set_aspect("equal")
    ax.legend(fontsize=8, loc="upper right")
