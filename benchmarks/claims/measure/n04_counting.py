"""What notebook 04 states about memory and time: counts are exact, times are medians of interleaved CPU times."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.claims.measure.cells import names_of
from course_utils.lessons.counting import (
    action_flops,
    block_action,
    cpu_seconds,
    encoder_parts,
    explicit_attention,
    matmul_rate,
    numel,
    product_shares,
    product_weights,
    random_ids,
    small_gpt,
    step_action,
    step_memory,
)

ROUNDS = list(range(5))
WIDTHS = [16, 32, 64, 128, 256]
NAME = "04_counting"


def measure() -> dict[str, Any]:
    """All results, by claim."""
    return {
        "rounds": ROUNDS,
        "parts": parts(),
        "gap": gap(),
        "heads": heads(),
        "memory": memory(),
        "rates": [rates() for _ in ROUNDS],
        "steps": [steps() for _ in ROUNDS],
        "causal": [causal() for _ in ROUNDS],
        "product_weights": small_tables(),
    }


def parts() -> dict[str, float]:
    """Trained numbers of the encoder with V = 50,001, and the shares of its parts."""
    full = {name: numel(part) for name, part in encoder_parts(50_001, 200, 4, 2, 50_001, device="meta").items()}
    total, small = sum(full.values()), 200 * 2 + 2
    return {
        **full,
        "language_model": total,
        "classifier": full["embedding"] + full["encoder"] + small,
        "tables_share": (full["embedding"] + full["head"]) / total,
        "layers_share_of_base": full["encoder"] / (full["embedding"] + full["encoder"]),
        "head_share_of_model": full["head"] / total,
        "new_head_share": small / (full["embedding"] + full["encoder"]),
    }


def gap() -> dict[str, float]:
    """Right count minus the sheet's, in units of D squared, at width 64: with one layer, and for each further one."""
    published = names_of(NAME)["published_total"]
    gaps = [(numel(encoder_parts(50, 64, n, 2, 2)) - published(50, 64, n, 2)) / 64**2 for n in (1, 2, 3)]
    return {"one_layer": gaps[0], "second_layer": gaps[1] - gaps[0], "third_layer": gaps[2] - gaps[1]}


def heads() -> dict[str, float]:
    """Trained numbers with 64 heads (and 8) relative to one head."""
    count = names_of(NAME)["count_gpt"]
    found = {}
    for variant in ("vanilla", "relative", "synthesizer", "synthesizer_shared"):
        one, eight, most = (count(256, 256, 4, n, 128, variant) for n in (1, 8, 64))
        found |= {f"{variant}_64": most / one - 1, f"{variant}_8": eight / one - 1}
    return found


def memory() -> dict[str, float]:
    """Peaks of one training step in megabytes, the state, and the share of activations."""
    model = small_gpt(V=51, D=64, L=4, H=4, T=64)
    ids = random_ids(model, 32)
    with explicit_attention():
        explicit = max(step_memory(model, ids)) / 1e6
    state = 16 * model.n_params() / 1e6
    return {
        "explicit": explicit,
        "fused": max(step_memory(model, ids)) / 1e6,
        "state": state,
        "ratio": explicit / state,
    }


def rates() -> dict[str, float]:
    """How many times as fast one large product is as a block, and the share of products in its time, by width."""
    rate, found = matmul_rate(), {}
    for D in WIDTHS:
        action = block_action(D, 2, 32, 32)
        found[f"slower_{D}"] = rate * cpu_seconds([action])[0] / action_flops(action)
        found[f"products_{D}"] = sum(product_shares(action))
    return found


def steps() -> dict[str, float]:
    """Measured time of a step of a tiny model over what the raw rate says; the notebook's estimate over the measured time."""
    cells, rate, found = names_of(NAME), matmul_rate(), {}
    for V, D, L, H, T, B in (
        (51, 32, 4, 2, 64, 16),
        (51, 128, 2, 4, 64, 8),
        (5000, 64, 2, 4, 64, 8),
        (51, 16, 6, 2, 32, 8),
    ):
        model = small_gpt(V, D, L, H, T)
        block, step = cpu_seconds([block_action(D, H, B, T), step_action(model, B)])
        raw = B * T * cells["flops_per_token"](product_weights(model), L, D, T) / rate
        found[f"raw_V{V}_D{D}"] = step / raw
        found[f"estimate_V{V}_D{D}"] = cells["step_seconds"](block, rate, B, T, V, D, L) / step
    found["estimate_off"] = max(abs(math.log(v)) for k, v in found.items() if k.startswith("estimate"))
    return found


def causal() -> dict[str, float]:
    """Time of PyTorch's fused attention with a causal mask over that without, by length."""
    found = {}
    for T in (64, 128, 512, 2048):
        q, k, v = (torch.randn(1, 4, T, 32) for _ in range(3))

        def timed(*, masked: bool, q: Any = q, k: Any = k, v: Any = v) -> None:
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION), torch.no_grad():
                F.scaled_dot_product_attention(q, k, v, is_causal=masked)

        half, full = cpu_seconds([lambda: timed(masked=True), lambda: timed(masked=False)], 20)
        found[f"T{T}"] = half / full
    return found


def small_tables() -> dict[str, float]:
    """Share of all trained numbers that a GPT with 5,000 symbols keeps in tables that are only looked up."""
    model = small_gpt(V=5_000, D=32, L=2, H=2, T=16)
    return {"looked_up": 1 - product_weights(model) / model.n_params()}
