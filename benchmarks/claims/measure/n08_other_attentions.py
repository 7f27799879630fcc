"""What notebook 08 states about lookups and time: eight seeds, a construction, two classes that differ in scores alone."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.claims.measure import place_heads
from benchmarks.claims.measure.cells import names_of
from benchmarks.paths import RESULTS, ROOT
from course_utils.config import ModelConfig
from course_utils.lessons.variants import Projections
from course_utils.metrics import mean_interval
from solutions.reference.perceiver import PerceiverAttention

SEEDS = list(range(8))
NAME = "08_other_attentions"
WIDTH, HEADS, ROUNDS = 128, 4, 25


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {
        "seeds": SEEDS,
        "lookup": [lookup(seed) for seed in SEEDS],
        **{name: part() for name, part in PARTS.items()},
    }


def lookup(seed: int) -> dict[str, float]:
    """Share of right answers after 600 steps, by kind of layer."""
    train = names_of(NAME)["train_lookup"]
    kinds = {"dot": ("dot", False), "synthesizer": ("synthesizer", False), "alternating": ("dot", True)}
    return {name: train(kind, seed=seed, alternate=apart)[1][-1] for name, (kind, apart) in kinds.items()}


def alternating(seed: int) -> dict[str, float]:
    """Where a trained dot product looks when keys and values alternate: mean shares of its attention over 4,000 tables."""
    cells, n, n_keys = names_of(NAME), 8, 16
    layer, _ = cells["train_lookup"]("dot", seed=seed, alternate=True)
    keys, values, asked = cells["new_tables"](4000, n, n_keys, torch.Generator().manual_seed(1000 + seed))
    x = cells["split_pairs"](cells["lookup_tokens"](keys, values, asked, n_keys, n)[0], n_keys)  # (B, 2n+1, E)
    with torch.no_grad():
        q, k = layer.q(x[:, -1]), layer.k(x)
        weights = torch.einsum("bw,bsw->bs", q, k).div(math.sqrt(q.shape[-1])).softmax(-1)  # (B, 2n+1)
    rows = torch.arange(len(x))
    on_values = weights[:, 1:-1:2]
    return {
        "asked_key": float(weights[rows, 2 * asked].mean()),
        "its_value": float(on_values[rows, asked].mean()),
        "values": float(on_values.sum(1).mean()),
    }


def places_learned() -> dict[str, Any]:
    """The synthesizer against the plain mean of the past on the same worlds: shares, and the paired difference in points."""
    files = {"synthesizer": ROOT / "data" / "measured" / "variants.json", "uniform": RESULTS / "variants_uniform.json"}
    test = {
        name: json.loads(path.read_text(encoding="utf-8"))["variants"][name]["test"] for name, path in files.items()
    }
    gains = [100 * (share - test["uniform"][seed]) for seed, share in test["synthesizer"].items()]
    mean, low, high = mean_interval(gains)
    return {**test, "gain": {"mean": mean, "low": low, "high": high}}


def counted() -> dict[str, float]:
    """Operations of the synthesizer over vanilla's."""
    cells = names_of(NAME)
    return {f"T{n}": cells["synthesizer_flops"](n, WIDTH) / cells["vanilla_flops"](n, WIDTH) for n in (64, 1024, 2048)}


class Scores(Projections):
    """One class for both mechanisms: only the scores differ; the mask is added or filled in."""

    def __init__(self, config: ModelConfig, *, compares: bool, fills: bool) -> None:
        super().__init__(config)
        self.compares, self.fills, d = compares, fills, config.n_embd // config.n_head
        self.B = torch.nn.Parameter(torch.randn(config.n_head, d, config.block_size) / 8)
        self.b2 = torch.nn.Parameter(torch.zeros(config.n_head, 1, config.block_size))

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        n, h = x.shape[1], self.split(self.query(x))  # (B, H, T, d)
        if self.compares:
            scores = h @ self.split(self.key(x)).mT / math.sqrt(h.shape[-1])
        else:
            scores = h.relu() @ self.B[:, :, :n] + self.b2[:, :, :n]
        if self.fills:
            scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
        else:
            scores = scores + torch.full((n, n), float("-inf")).triu(1)
        return self.merge(scores.softmax(-1) @ self.split(self.value(x)))


def timed(n: int) -> dict[str, float]:
    """Median thread times of a pass, in turns: synthesizer over vanilla with equal masks, and filling over adding."""
    torch.manual_seed(0)
    x, size = torch.randn(1, n, WIDTH), ModelConfig(5, n, 1, HEADS, WIDTH)
    kinds = {(c, f): Scores(size, compares=c, fills=f) for c in (True, False) for f in (True, False)}
    times: dict[tuple[bool, bool], list[float]] = {kind: [] for kind in kinds}
    with torch.no_grad():
        for _ in range(ROUNDS):
            for kind, module in kinds.items():
                begin = time.thread_time()
                module(x)
                times[kind].append(time.thread_time() - begin)
    middle = {kind: float(np.median(found)) for kind, found in times.items()}
    return {
        "filled": middle[False, True] / middle[True, True],
        "added": middle[False, False] / middle[True, False],
        "fill_over_add": middle[True, True] / middle[True, False],
    }


def latents_timed(n: int) -> dict[str, Any]:
    """Thread times of a pass of the latents with cumulative sums over vanilla's as matrix products: medians, in turns.

    ``interval``: 95 %, bootstrap over the rounds.
    """
    torch.manual_seed(0)
    x, size = torch.randn(1, n, WIDTH), ModelConfig(5, n, 1, HEADS, WIDTH)
    kinds = [PerceiverAttention(size), names_of(NAME)["PlainAttention"](size)]
    times = np.array([[_thread_time(module, x) for module in kinds] for _ in range(ROUNDS + 1)][1:])  # (rounds, 2)
    drawn = np.random.default_rng(0).integers(ROUNDS, size=(2000, ROUNDS))
    middles = np.median(times[drawn], axis=1)  # (2000, rounds, 2) -> (2000, 2)
    low, high = np.percentile(middles[:, 0] / middles[:, 1], [2.5, 97.5])
    middle = np.median(times, axis=0)
    return {"ratio": float(middle[0] / middle[1]), "interval": [float(low), float(high)]}


def _thread_time(module: torch.nn.Module, x: Tensor) -> float:
    begin = time.thread_time()
    with torch.no_grad():
        module(x)
    return time.thread_time() - begin


PARTS: dict[str, Callable[[], Any]] = {
    "place_heads": place_heads.measure,
    "alternating": lambda: [alternating(seed) for seed in SEEDS],
    "places": places_learned,
    "counted": counted,
    "timed": lambda: {str(n): timed(n) for n in (64, 256, 1024)},
    "latents_timed": lambda: {str(n): latents_timed(n) for n in (64, 128, 256, 512, 1024, 2048, 4096)},
}
