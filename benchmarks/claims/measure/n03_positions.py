"""What notebook 03 states about untrained positions: closed forms, and eight seeds where vectors are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from benchmarks.claims.measure.cells import names_of

SEEDS = list(range(8))
NAME = "03_positions"


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {
        "seeds": SEEDS,
        "waves": waves(),
        "rope": rope(),
        "clock": clock(),
        "bfloat16": bfloat16(),
        "cross": [cross(seed) for seed in SEEDS],
        "gaps": [gaps(seed) for seed in SEEDS],
        "places": [places(seed) for seed in SEEDS],
    }


def waves() -> dict[str, float]:
    """Dot products of sinusoids over d/2 against the offset: the ranges after the first fall, and where it rises."""
    sinusoid, found = names_of(NAME)["sinusoid"], {}
    for d, base in ((32, 10000.0), (128, 10000.0), (32, 50.0)):
        p = sinusoid(101, d, base)
        curve = p @ p[0] / (d / 2)
        name = f"d{d}_base{base:.0f}"
        found |= {f"{name}_low": float(curve[10:].min()), f"{name}_high": float(curve[10:].max())}
        found[f"{name}_largest_rise"] = float(curve.diff().max())
        found[f"{name}_mean"] = float(curve[20:].mean())
    return found


def rope() -> dict[str, float]:
    """Rotary scores of equal words, three places of the query: how far apart the curves lie, and their ranges."""
    cells = names_of(NAME)
    turned = cells["apply_rotary"](torch.ones(1, 1, 4096, 64), cells["rotary_angles"](4096, 64))[0, 0]
    curves = torch.stack([turned[i] @ turned[[i - o for o in range(257)]].T / 64 for i in (300, 1500, 4000)])
    return {
        "apart": float((curves - curves[0]).abs().max()),
        "near_30_low": float(curves[0, 25:36].min()),
        "near_30_high": float(curves[0, 25:36].max()),
        "beyond_100_low": float(curves[0, 100:].min()),
        "beyond_100_high": float(curves[0, 100:].max()),
        "largest_rise": float(curves[0].diff().max()),
    }


def clock() -> dict[str, float]:
    """Turns (degrees, 0 to 180) of rotary pairs at offsets 1, 12 and 100, width 64."""
    angles = names_of(NAME)["rotary_angles"](257, 64)
    turns = {(o, m): float(torch.rad2deg(angles[o, m])) % 360 for o in (1, 12, 100) for m in (0, 4, 8, 12, 20)}
    return {f"offset_{o}_pair_{m}": min(turn, 360 - turn) for (o, m), turn in turns.items()}


def bfloat16() -> dict[str, float]:
    """Largest error of an angle near 300 that is kept in bfloat16."""
    angles = torch.linspace(256, 320, 10_001)
    return {"off": float((angles - angles.bfloat16().float()).abs().max())}


def cross(seed: int) -> dict[str, float]:
    """Variance of x · p against the width for raw and unit vectors: slopes in log-log axes, and the values at 512."""
    dims = [4, 8, 16, 32, 64, 128, 256, 512]
    unit, raw = names_of(NAME)["cross_variances"](dims, 4000, torch.Generator().manual_seed(seed))
    found = {"raw_512": float(raw[-1]), "unit_512": float(unit[-1])}
    for name, values in (("raw", raw), ("unit", unit)):
        found[f"{name}_slope"] = float(np.polyfit(np.log(dims), np.log(values.numpy()), 1)[0])
    return found


def gaps(seed: int) -> dict[str, float]:
    """Largest difference between the outputs at two hidden places, position replaced or kept."""
    rng = torch.Generator().manual_seed(seed)
    X, P, mask = torch.randn(8, 16, generator=rng), torch.randn(8, 16, generator=rng), torch.randn(16, generator=rng)
    W = [torch.randn(16, 16, generator=rng) / 4 for _ in range(3)]
    replaced, kept = names_of(NAME)["masked_outputs"](X, P, mask, [2, 5], *W)
    return {"replaced": float((replaced[0] - replaced[1]).abs().max()), "kept": float((kept[0] - kept[1]).abs().max())}


def places(seed: int) -> dict[str, float]:
    """How far the scores of two words at one offset differ between three places: sinusoids added, or rotary positions."""
    cells, rng = names_of(NAME), torch.Generator().manual_seed(seed)
    x, y = torch.randn(2, 64, generator=rng)
    W_q, W_k = torch.randn(2, 64, 64, generator=rng) / 8
    p, angles = cells["sinusoid"](1000, 64), cells["rotary_angles"](1000, 64)
    turned = [cells["apply_rotary"](z.expand(1, 1, 1000, 64), angles)[0, 0] for z in (x @ W_q, y @ W_k)]
    found = {}
    for name, (Q, K) in {"added": ((x + p) @ W_q, (y + p) @ W_k), "rotary": turned}.items():
        curves = torch.stack([Q[i] @ K[[i - o for o in range(97)]].T / 8 for i in (100, 400, 900)])
        found[name] = float((curves.max(0).values - curves.min(0).values).max())
    return found
