"""What notebook 01 states about drawn keys: eight seeds each, all draws counted, with the reference answers."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from course_utils.lessons.attention import jitter, orthonormal
from solutions.reference import by_hand

SEEDS = list(range(8))
LENGTHS = [0.0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 30, 40, 60, 80]
HEADS = {"one": by_hand.single_head, "two": by_hand.multi_head}


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {
        "seeds": SEEDS,
        "exact": exact(),
        "stray": [stray(seed) for seed in SEEDS],
        "lengths": [varying_length(seed) for seed in SEEDS],
        "plane": [near_the_mean(seed) for seed in SEEDS],
        "projections": no_projections(),
    }


def weight(score: float, others: list[float]) -> float:
    """The softmax weight of one score among others."""
    return 1 / (1 + sum(math.exp(other - score) for other in others))


def exact() -> dict[str, float]:
    """Weights and probabilities in closed form."""
    return {
        "five_among_1000": weight(5, [0.0] * 999),
        "five_among_3": weight(5, [0.0] * 2),
        **{f"ten_items_beta_{beta}": weight(beta, [0.0] * 9) for beta in (0, 2, 4, 8)},
        **{f"floor_beta_{b}": 8 / (2 * math.exp(b) + 8) for b in (3, 5)},
        "gamma_0_8": weight(8, [10.0]),
        "gamma_1_2": weight(12, [10.0]),
        "one_head_gamma_0_5": weight(5, [10.0, 0.0]),
        "own_head_gamma_0_5": weight(5, [0.0, 0.0]),
        "below_0": 0.5 * math.erfc(1.0),
        "below_0_if_half_were_the_deviation": 0.5 * math.erfc(2 / math.sqrt(2)),
        "outside_half": math.erfc(0.5),
        "variance_beta_5": variance(5.0),
        "variance_beta_100": variance(100.0),
    }


def variance(beta: float) -> float:
    """Variance of the weight sigma(beta (gamma - 1)) for gamma normal with mean 1 and variance 1/2, by quadrature."""
    z = torch.linspace(-9, 9, 400_001, dtype=torch.float64)
    mass = torch.exp(-z * z / 2)
    weights = torch.special.expit(beta * z / math.sqrt(2))
    mean = (mass * weights).sum() / mass.sum()
    return float((mass * (weights - mean) ** 2).sum() / mass.sum())


def stray(seed: int) -> dict[str, float]:
    """Mean misplaced weight with noisy keys of one length."""
    rng, n = torch.Generator().manual_seed(seed), 10
    mu = orthonormal(n, n, rng)
    target = torch.tensor([0.5, 0.5] + [0.0] * (n - 2))

    def error(beta: float, sigma: float) -> float:
        weights = by_hand.single_head(mu, jitter(mu, sigma * sigma, 1500, rng), mu, 0, 1, beta)[1]
        return float((weights - target).abs().sum(-1).mean() / 2)

    return {
        "beta_20_sigma_0_01": error(20, 0.01),
        "beta_20_slope": math.log10(error(20, 0.001) / error(20, 0.0001)),
        "beta_20_widest": error(20, 10**-0.5),
        "beta_3_level": error(3, 1e-5),
        "beta_5_level": error(5, 1e-5),
    }


def drawn(seed: int, draws: int) -> tuple[Tensor, Tensor]:
    """Means (5, 8), and keys (draws, 5, 8) of which that of item 0 varies in length."""
    rng = torch.Generator().manual_seed(seed)
    mu = orthonormal(5, 8, rng)
    return mu, by_hand.sample_keys(mu, 0, 1e-6, draws, rng)


def varying_length(seed: int) -> dict[str, Any]:
    """Root mean square distance to the mean of two values against beta, all draws and those with gamma > 0."""
    mu, keys = drawn(seed, 4000)
    positive = keys[:, 0] @ mu[0] > 0
    found: dict[str, Any] = {"negative": float((~positive).double().mean())}
    for name, head in HEADS.items():
        off = [((head(mu, keys, mu, 0, 1, b)[0] - mu[:2].mean(0)) ** 2).sum(-1) for b in LENGTHS]
        everyone = [float(x.mean().sqrt()) for x in off]
        found[name] = {
            "best": min(everyone),
            "best_beta": LENGTHS[everyone.index(min(everyone))],
            "at_80": everyone[-1],
            "positive_at_80": float(off[-1][positive].mean().sqrt()),
        }
    found["ratio"] = found["one"]["best"] / found["two"]["best"]
    weights = by_hand.single_head(mu, keys, mu, 0, 1, 20.0)[1][:, 0]
    found["middle_beta_20"] = float(((weights > 0.25) & (weights < 0.75)).double().mean())
    return found


def near_the_mean(seed: int) -> dict[str, float]:
    """Share of draws whose output lies within 0.1 of the mean of the two values, beta 20."""
    mu, keys = drawn(seed, 1500)
    values = torch.eye(5, dtype=mu.dtype)[:, :2]
    shares = {name: head(mu, keys, values, 0, 1, 20.0)[0] for name, head in HEADS.items()}
    return {name: float(((x - 0.5).norm(dim=1) < 0.1).double().mean()) for name, x in shares.items()}


def no_projections() -> dict[str, float]:
    """The largest coefficient of u_b in c_2, and the farthest that of u_a is from 1, over 625 pairs (s, t), beta 4."""
    frame = 4.0 * orthonormal(4, 6, torch.Generator().manual_seed(31))
    grid = torch.linspace(-3, 3, 25).tolist()
    shares = torch.stack([by_hand.no_projections(frame, s, t)[1] for s in grid for t in grid])
    return {"largest_u_b": float(shares[:, 1].abs().max()), "u_a_off_1": float((shares[:, 0] - 1).abs().max())}
