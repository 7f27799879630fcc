"""Helpers of notebook 01: orthonormal keys, noise around them, sliders and figures for demonstrations."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import torch
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from course_utils import plots
from course_utils.checks.asking import opened
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.helpers import number, parts

TAILS = (
    (2.0, math.erfc(2 / 2**0.5)),
    (3.0, math.erfc(3 / 2**0.5)),
)  # how far out, and the share of normal numbers beyond


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


# ------------------------------------------------------------------------- what checks compare in place of an answer


def _results(value: Any, names: tuple[str, ...], shapes: tuple[tuple[int, ...], ...]) -> list[Tensor]:
    """The parts of a result as float64 tensors of these shapes. Raises CheckFailed."""
    found = parts(value, names)
    for part, name, shape in zip(found, names, shapes, strict=True):
        if part.shape != shape:
            raise CheckFailed(f"{name} has shape {tuple(part.shape)} instead of {shape}")
    return found


def mixed(scores: Tensor, values: Tensor) -> Tensor:
    """Values (n, p) mixed by the softmax of the last axis of scores (…, n): (…, p)."""
    return torch.log_softmax(scores.double(), -1).exp() @ values.double()


def first(case: Case, value: Any) -> Any:
    """The first of two results."""
    return parts(value, ("c", "queries"))[0]


def key_shape(case: Case, keys: Any) -> tuple[int, ...]:
    """The shape of drawn keys."""
    return tuple(number(keys, "keys").shape)


def key_features(case: Case, keys: Any) -> Tensor:
    """Rows of features of drawn keys (S, n, d), S rows: gamma, and noise in units of its standard deviation.

    ``case`` has the means (n, d), the item a, the variance and the number of draws.
    """
    mu, a, variance, trials = case.args[:4]
    n, d = mu.shape
    noise = number(keys, "keys")
    if noise.shape != (trials, n, d):
        raise CheckFailed(f"sample_keys returns the shape (trials, n, d), here {(trials, n, d)}")
    b = (a + 1) % n
    along = noise[:, a] @ mu[a]  # (S, d) @ (d,) -> (S,)
    rest = (noise - mu) / math.sqrt(variance)
    sideways = rest[:, a] - (rest[:, a] @ mu[a])[:, None] * mu[a]  # (S, d), without the direction of mu_a
    beyond = sideways - (sideways @ mu.T) @ mu  # outside the span of all means; 0 where d = n
    columns = [along, sideways @ mu[b], rest[:, b] @ mu[b], rest[:, b] @ mu[a], rest[:, b, 0], rest[:, b, -1]]
    columns += [sideways[:, 0], beyond.norm(dim=1)] if d > n else [sideways[:, 0]]
    columns += [rest[:, (a + 2) % n] @ mu[a]] if n > 2 else []
    return torch.stack(columns, 1)  # (S, F)


def key_moments(student: Any, case: Case, name: str) -> list[float]:
    """What one call of many draws tells about their law, in standard deviations of chance but for the first number.

    The noise along each mean and the variable length become standard normal numbers (S, n n), where there are n
    coordinates.

    Returns:
        The share of draws that are none of the others; the largest deviation of a fourth moment, of the product of two
        numbers, of their squares and of three numbers, of the product of a number with one up to 20 draws later, and of
        how many numbers lie beyond 2 and beyond 3.
    """
    keys, z = _standardised(student, case, name)
    trials = len(z)
    root, squares = trials**0.5, (z**2 - 1) / 2**0.5
    other = ~torch.eye(z.shape[1], dtype=torch.bool)
    pairs = [((x.T @ x) / root).abs()[other] for x in (z, squares)]  # sums of products of independent numbers
    triples = [(z[:, list(of)].prod(1).sum() / root).abs() for of in combinations(range(z.shape[1]), 3)]
    later = [(x[lag:] * x[:-lag]).sum(0).abs() / root for lag in range(1, 21) for x in (z, squares)]
    excess = ((z**4).sum(0) - 3 * trials) / (96 * trials) ** 0.5  # of each number, and of all together
    fourth = torch.cat([excess, excess.sum(0, keepdim=True) / z.shape[1] ** 0.5]).abs()
    tails = [
        ((z.abs() > edge).double().mean(0) - share) * (trials / share / (1 - share)) ** 0.5 for edge, share in TAILS
    ]
    found = [fourth, *pairs, torch.tensor(triples), torch.cat(later), torch.cat(tails).abs()]
    return [len(keys.flatten(1)[:, 0].unique()) / trials, *(float(x.max()) if x.numel() else 0.0 for x in found)]


def _standardised(student: Any, case: Case, name: str) -> tuple[Tensor, Tensor]:
    """Keys of one call (S, n, d), and their noise along each mean as standard normal numbers (S, n n). Raises CheckFailed."""
    mu, a, variance, trials = case.args
    n, d = mu.shape
    keys = number(opened(getattr(student, name)(*case.args, torch.Generator().manual_seed(case.setup["seed"]))), "keys")
    if keys.shape != (trials, n, d):
        raise CheckFailed(f"sample_keys returns the shape (trials, n, d), here {(trials, n, d)}")
    deviation = torch.full((n, n), variance, dtype=torch.float64)
    deviation[a, a] += 0.5
    return keys, (((keys.double() - mu) @ mu.T) / deviation.sqrt()).flatten(1)  # (S, n, d) -> (S, n n)


def key_spreads(student: Any, case: Case, name: str) -> list[float]:
    """What one call tells about every item and about draws at all distances, in standard deviations of chance.

    Returns:
        The largest deviation of a mean of all draws; of a variance; of a variance beside the means' span, 0 where there
        is nothing; of the product of a number with its like in the mirrored draw; of one with its like any number of
        draws later, up to half of all.
    """
    keys, z = _standardised(student, case, name)
    mu, _, variance, trials = case.args
    (n, d), noise = mu.shape, keys.double() - mu
    beyond = ((noise - noise @ mu.T @ mu) ** 2).sum(-1) / variance  # (S, n), chi squared with d - n degrees
    root, free = trials**0.5, max(d - n, 1)
    spectrum = torch.fft.rfft(z, n=2 * trials, dim=0)
    lags = torch.arange(1, trials // 2)
    later = torch.fft.irfft(spectrum.abs() ** 2, n=2 * trials, dim=0)[lags] / (trials - lags)[:, None].sqrt()
    found = [
        z.mean(0) * root,
        ((z**2).mean(0) - 1) * root / 2**0.5,
        (beyond.mean(0) - (d - n)) * root / (2 * free) ** 0.5,
        (z * z.flip(0)).sum(0) / (2 * trials) ** 0.5,
        later,
    ]
    return [float(one.abs().max()) for one in found]


def own_scores(case: Case, value: Any) -> Tensor:
    """Scores (2,) that the two queries give to item a and to item b; the query that likes a better counts for a."""
    mu, K, V, a, b = case.args[:5]
    _, queries = _results(value, ("c", "queries"), ((len(K), V.shape[1]), (2, mu.shape[1])))
    scores = queries @ mu[[a, b]].T  # (2, d) @ (d, 2) -> (2, 2): a query per row
    first = int((scores[:, 0] - scores[:, 1]).argmax())
    return torch.stack([scores[first, 0], scores[1 - first, 1]])


def heads_apart(case: Case, value: Any) -> Tensor:
    """How far c (S, p) is from the mean of the outputs that the returned queries give over the drawn keys."""
    mu, K, V = case.args[:3]
    c, queries = _results(value, ("c", "queries"), ((len(K), V.shape[1]), (2, mu.shape[1])))
    return c - sum(mixed(K @ q, V) for q in queries) / 2  # (S, n, d) @ (d,) -> (S, n)


def heads_alone(case: Case, value: Any) -> Tensor:
    """What each head (2, p) returns for keys equal to their means, the one for a first."""
    mu, K, V, a, b = case.args[:5]
    _, queries = _results(value, ("c", "queries"), ((len(K), V.shape[1]), (2, mu.shape[1])))
    first = int((queries @ (mu[a] - mu[b])).argmax())
    return torch.stack([mixed(mu @ q, V) for q in (queries[first], queries[1 - first])])


def off_the_wish(case: Case, value: Any) -> Tensor:
    """By how much the outputs c_1 and c_2 miss their wish by more than one percent of the length of the u's: (2,)."""
    (U,) = case.args
    d = U.shape[1]
    Q, K, V = _results(value, ("Q", "K", "V"), ((d, d),) * 3)
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua, uc + ub])  # (3, d)
    c = mixed(X[:2] @ Q.T @ (X @ K.T).T, X @ V.T)  # (2, 3) scores of words 1 and 2 -> (2, d)
    off = (c - torch.stack([ub - uc, ub])).norm(dim=1) / ua.norm()
    return (off - 0.01).clamp(min=0).nan_to_num(nan=9.0)
