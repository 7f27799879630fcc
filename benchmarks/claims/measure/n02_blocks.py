"""What notebook 02 states about masks, scaling, deep stacks and recurrent networks: eight seeds of each experiment."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.claims.measure.cells import names_of
from benchmarks.claims.measure.reading_maps import reading_maps
from course_utils.lessons.blocks import attention_flops
from course_utils.lessons.masks import ENTROPY, try_mask

SEEDS = list(range(8))
WIDTHS = [4, 8, 16, 32, 64, 128, 256, 512]


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {
        "seeds": SEEDS,
        "entropy": ENTROPY,
        "masks": [masks(seed) for seed in SEEDS],
        "saturation": [saturation(seed) for seed in SEEDS],
        "distance": [distance(seed) for seed in SEEDS],
        "flops": flops(),
        "products": [products(seed) for seed in SEEDS],
        **{name: part() for name, part in PARTS.items()},
    }


PARTS: dict[str, Callable[[], Any]] = {
    "reading_maps": reading_maps,
    "stacks": lambda: [stacks(seed) for seed in SEEDS],
}


def masks(seed: int) -> dict[str, Any]:
    """Loss of the tiny language and share of valid texts under three masks."""
    cells = names_of("02_blocks")
    rules: dict[str, Callable[[int], Tensor]] = {
        "printed": cells["printed_rule"],
        "shifted": cells["shifted_rule"],
        "causal": lambda n: torch.ones(n, n, dtype=torch.bool).tril(),
    }
    found = {name: try_mask(rule, seed=seed) for name, rule in rules.items()}
    return {
        name: {"loss": loss, "beyond_entropy": loss - ENTROPY, "valid": valid} for name, (loss, valid) in found.items()
    }


def saturation(seed: int) -> dict[str, Any]:
    """Variance of scores, entropy of the weights and norm of the Jacobian by width, without and with the factor."""
    rng, cells = torch.Generator().manual_seed(seed), names_of("02_blocks")
    found: dict[str, dict[str, float]] = {"plain": {}, "scaled": {}}
    entropies: list[float] = []
    for d in WIDTHS:
        q, keys = torch.randn(200, 1, d, generator=rng), torch.randn(200, 32, d, generator=rng)
        scores = (q * keys).sum(-1)  # (200, 1, d) * (200, 32, d) -> (200, 32)
        for name, factor in (("plain", 1.0), ("scaled", d**-0.5)):
            entropy, jacobian = cells["saturation"](scores * factor)
            found[name][f"jacobian_{d}"] = jacobian.mean().item()
            found[name][f"variance_{d}"] = (scores * factor).var().item()
            entropies += [entropy.mean().item()] if name == "plain" else []
    plain, scaled = found["plain"], found["scaled"]
    return {
        **found,
        "entropy_falls": min(a - b for a, b in pairwise(entropies)),
        "jacobian_small_widths": min(plain[f"jacobian_{d}"] / scaled[f"jacobian_{d}"] for d in (4, 8, 16)),
        "jacobian_at_512": plain["jacobian_512"] / scaled["jacobian_512"],
        "jacobian_at_512_of_4": plain["jacobian_512"] / plain["jacobian_4"],
        "slope": float(np.polyfit(np.log(WIDTHS), np.log([plain[f"variance_{d}"] for d in WIDTHS]), 1)[0]),
    }


def stacks(seed: int) -> dict[str, dict[str, float]]:
    """Gradient at the input over that at the output, share of the output that differs between inputs, and the output's norm."""
    cells = names_of("02_blocks")
    found: dict[str, dict[str, float]] = {}
    for name, stack in cells["STACKS"].items():
        gradient, share = cells["gradient_and_difference"](stack, seed)
        torch.manual_seed(seed)
        size = cells["deep_stack"](torch.randn(32, 64), *stack).norm().item()
        found[name] = {"gradient": gradient, "differs": share / 100, "output": size}
    return found


def distance(seed: int) -> dict[str, float]:
    """Gradient at distance 39 over that at distance 1, by kind of untrained network."""
    cells = names_of("02_blocks")
    torch.manual_seed(seed)
    return {kind: float(cells["gradient_by_distance"](cells["untrained"](kind), 40)[39]) for kind in _kinds()}


def _kinds() -> list[str]:
    return ["recurrent", "recurrent, orthogonal × 1.5", "LSTM, forget bias 3", "self-attention"]


def flops() -> dict[str, float]:
    """Shares of an encoder layer's operations, width 512; slopes of attention's, width 64; where they cross."""
    found: dict[str, float] = {}
    for length in (32, 512, 3072):
        scores = attention_flops(length, length, 512) - 8.0 * length * 512**2
        total = scores + 24.0 * length * 512**2
        found |= {f"scores_{length}": scores / total, f"feed_forward_{length}": 16.0 * length * 512**2 / total}
        found[f"projections_{length}"] = 8.0 * length * 512**2 / total
    whole = {n: attention_flops(n, n, 64) for n in (16, 32, 8192, 65536)}
    found["slope_short"] = float(np.log2(whole[32] / whole[16]))
    found["slope_long"] = float(np.log(whole[65536] / whole[8192]) / np.log(8))
    found["ratio_at_128"] = (attention_flops(128, 128, 64) - 8.0 * 128 * 64**2) / (8.0 * 128 * 64**2)
    return found


def products(seed: int) -> dict[str, float]:
    """Time of eight small products over that of one large one, (128, 512) times (512, 512), in turns."""
    torch.manual_seed(seed)
    x, weights = torch.randn(128, 512), torch.randn(512, 512)
    small = list(weights.view(8, 64, 512))
    times: dict[str, list[float]] = {"small": [], "large": []}
    for _ in range(50):
        for name, rows in (("small", small), ("large", [weights])):
            begin = time.thread_time()
            for row in rows:
                torch.nn.functional.linear(x, row)
            times[name].append(time.thread_time() - begin)
    return {"ratio": float(np.median(times["small"]) / np.median(times["large"]))}
