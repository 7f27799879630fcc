"""What only notebook 04 states: exact counts, the published sheet's totals, memory and FLOPs held to PyTorch's own counters."""

from __future__ import annotations

import gc
import statistics
import weakref
from dataclasses import replace

import pytest
import torch

from course_utils.config import ModelConfig
from course_utils.lessons.counting import (
    action_flops,
    block_action,
    counted_flops,
    cpu_seconds,
    encoder_parts,
    explicit_attention,
    memory_curve,
    numel,
    product_shares,
    product_weights,
    random_ids,
    saved_bytes,
    small_gpt,
    step_action,
    step_memory,
)
from solutions.reference.counting import VARIANTS, gpt_numel
from solutions.reference.synthesizer import SynthesizerAttention


@pytest.mark.parametrize(("C", "head", "total"), [(50_001, 10_050_201, 21_018_401), (2, 402, 10_968_602)])
def test_the_encoder_at_full_size(C: int, head: int, total: int) -> None:
    parts = encoder_parts(50_001, 200, 4, 2, C, device="meta")
    assert numel(parts["embedding"]) + numel(parts["encoder"]) == 10_968_200
    assert (numel(parts["head"]), numel(parts)) == (head, total)


@pytest.mark.parametrize(("C", "published"), [(50_001, 20_613_801), (2, 10_564_002)])
def test_the_published_totals_come_from_two_slips(C: int, published: int) -> None:
    right = numel(encoder_parts(50_001, 200, 4, 2, C, device="meta"))
    V, D, L = 50_001, 200, 4
    qkv, whole = 3 * (D * D + D), numel(encoder_parts(3, D, 1, 2, 2, device="meta")["encoder"])
    forgotten = D * D + D + D  # the second feed-forward map, and the output projection's bias
    rest = whole - qkv - forgotten
    assert V * D + L * qkv + rest + D * C + C == published
    assert right - published == L * forgotten + (L - 1) * rest == 404_600


def test_the_gpt_and_its_variants_at_full_size() -> None:
    counts = {variant: gpt_numel(256, 256, 4, 8, 128, variant, 32) for variant in VARIANTS}
    assert counts["vanilla"] == small_gpt(256, 256, 4, 8, 128).n_params() == 3_323_392
    assert counts["rope"] == 3_290_624
    assert counts["synthesizer_shared"] == 3_076_988
    assert (counts["relative"], counts["synthesizer"], counts["perceiver"]) == (3_294_720, 3_195_392, 3_331_584)
    with pytest.raises(ValueError, match="no variant"):
        gpt_numel(256, 256, 4, 8, 128, "linear")


def test_notebook_08_builds_the_synthesizer_that_is_counted_here() -> None:
    """Every head has a B and a b2 of its own in both; sharing them loses what notebook 08's text says."""
    config = ModelConfig(vocab_size=256, block_size=128, n_layer=4, n_head=8, n_embd=256)
    layer = numel(SynthesizerAttention(config))
    plain = numel(small_gpt(256, 256, 1, 8, 128).blocks[0].attention)
    vanilla = gpt_numel(256, 256, 4, 8, 128)
    assert vanilla + 4 * (layer - plain) == gpt_numel(256, 256, 4, 8, 128, "synthesizer")
    one = SynthesizerAttention(replace(config, n_head=1, n_embd=32))  # a single head as wide as each of the eight
    assert 7 * (one.B.numel() + one.b2.numel()) == 29_568


def formula(B: int, T: int, V: int, D: int, L: int, H: int) -> int:
    return 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)


SIZES = [(32, 32, 51, 64, 2, 4), (32, 96, 40, 48, 1, 3), (48, 48, 30, 64, 3, 2), (32, 64, 60, 96, 2, 8)]


@pytest.mark.parametrize("sizes", SIZES)
def test_saved_tensors_and_the_profilers_peak_agree_with_the_formula(sizes: tuple[int, ...]) -> None:
    B, T, V, D, L, H = sizes
    model = small_gpt(V, D, L, H, T)
    state = 4 * numel(model)
    with explicit_attention():
        saved, curve = saved_bytes(model, random_ids(model, B)), step_memory(model, random_ids(model, B))
    assert saved == pytest.approx(formula(*sizes), rel=0.02)
    peak = max(curve) + 3 * state  # parameters and both moments lie there before the step begins
    assert 0.85 < (4 * state + formula(*sizes)) / peak < 1.15


def test_a_model_whose_memory_was_counted_is_let_go() -> None:
    model = small_gpt(50, 32, 2, 2, 16)
    with explicit_attention():
        saved_bytes(model, random_ids(model, 3))
    weight = weakref.ref(next(model.parameters()))
    del model
    gc.collect()
    assert weight() is None  # a softmax that kept its own output with its history would hold everything


def test_with_many_symbols_the_peak_holds_two_more_copies_of_the_logits() -> None:
    B, T, V, D, L, H = 32, 32, 2000, 32, 1, 2
    model = small_gpt(V, D, L, H, T)
    with explicit_attention():
        peak = max(step_memory(model, random_ids(model, B)))
    assert peak == pytest.approx(formula(B, T, V, D, L, H) + 8 * B * T * V, rel=0.05)


def test_a_memory_curve_sees_what_is_allocated_and_released() -> None:
    curve = memory_curve(lambda: torch.empty(250_000).fill_(1.0))
    assert curve[0] == 0 and max(curve) == pytest.approx(1_000_000, rel=0.01) and curve[-1] == 0


@pytest.mark.parametrize(("V", "D", "L", "H", "T"), [(50, 32, 2, 2, 16), (51, 64, 1, 4, 32), (300, 24, 3, 3, 10)])
def test_flops_per_token_are_what_pytorch_counts(V: int, D: int, L: int, H: int, T: int) -> None:
    model = small_gpt(V, D, L, H, T)
    assert product_weights(model) == 12 * L * D * D + V * D
    assert counted_flops(model, random_ids(model, 3)) == 3 * T * (6 * product_weights(model) + 12 * L * D * T)


def test_flops_of_one_block_are_counted_too() -> None:
    assert action_flops(block_action(24, 2, 5, 10)) == 5 * 10 * (72 * 24**2 + 12 * 24 * 10)


def test_a_step_takes_as_long_as_its_blocks_and_head() -> None:
    """Exactly in counted FLOPs; within a factor 2 in CPU time on one thread, the usual ratio being 0.9.

    The blocks and the step take turns in pairs of a few hundredths of a second: what slows one of a pair slows the other.
    The median leaves out the pairs that another process interrupts (of 90 pairs at a load of four processes per core,
    the medians of 15 are 0.89 to 0.92 and all pairs 0.69 to 1.14).
    """
    block, step = block_action(64, 4, 16, 64), step_action(small_gpt(51, 64, 4, 4, 64), 16)
    with_head = 1 + 51 * 64 / (12 * 64**2 + 2 * 64 * 64) / 4  # the head, as a part of the four blocks
    assert action_flops(step) == pytest.approx(4 * action_flops(block) * with_head, rel=1e-12)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = [cpu_seconds([lambda: [block() for _ in range(4)], step], tries=1) for _ in range(9)]
    finally:
        torch.set_num_threads(threads)
    ratio = statistics.median(blocks * with_head / whole for blocks, whole in pairs)
    assert 0.5 < ratio < 2, pairs


def test_narrow_blocks_spend_less_of_their_time_in_products() -> None:
    # the least of many tries: beside four other processes all of three tries were interrupted once
    narrow, wide = (product_shares(block_action(D, 2, 32, 32), tries=20) for D in (8, 256))
    assert 0 < sum(narrow) < sum(wide) < 1
    assert narrow[1] / narrow[0] > wide[1] / wide[0]  # attention grows with D, products with weights with its square
