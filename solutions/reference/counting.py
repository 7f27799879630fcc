"""Notebook 04's reference: modules whose numbers are counted, so that no formula has to be believed."""

from __future__ import annotations

import torch
from torch import nn

from course_utils.config import ModelConfig
from course_utils.lessons.counting import Undrawn, encoder_parts, numel
from course_utils.model import GPT


def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of the base and of the head, counted on a model without numbers; all layers are copies of one."""
    parts = encoder_parts(V, D, 1, H, C, device="meta")
    return numel(parts["embedding"]) + L * numel(parts["encoder"]), numel(parts["head"])


def published_total(V: int, D: int, L: int, C: int) -> int:
    """Step 7 of the sheet, whose brackets close too early."""
    return V * D + L * (3 * (D * D + D)) + D * D + 2 * D + D * D + D + 2 * D + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """What each error alone loses: the slipped bracket, the second linear map, the output map's bias."""
    whole = numel(encoder_parts(1, D, 1, 1, 1, device="meta")["encoder"])
    return {"C": (L - 1) * (whole - 3 * (D * D + D)), "E": L * (D * D + D), "G": L * D}


def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes; a test of the course holds the latter to the profiler's peak."""
    return 16 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)


def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """Forward and backward pass; a test of the course holds it to PyTorch's own counter."""
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """L times the block, and the head in proportion to its operations; the rate of a large product says nothing of a block."""
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T))


VARIANTS = ("vanilla", "rope", "relative", "synthesizer", "synthesizer_shared", "perceiver")


def gpt_numel(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or of a variant of it, as the table of notebook 04 describes them.

    The course's own GPT is built; where a variant has other numbers, they are put into it as empty parameters of the
    right shapes. Raises ValueError for an unknown variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"no variant {variant!r}")
    position = "none" if variant in ("rope", "relative") else "learned"
    with torch.device("meta"), Undrawn():  # shapes without numbers
        model = GPT(ModelConfig(vocab_size=V, block_size=T, n_layer=1, n_head=H, n_embd=D, position=position))
        for name, module in model.named_modules():
            if name.endswith(".attention"):
                _swap(module, D, H, T, variant)
        if variant == "perceiver":
            model.latents = nn.Parameter(torch.empty(m, D))
    return numel(model) + (L - 1) * numel(model.blocks[0])  # all blocks are copies of one


def _swap(attention: nn.Module, D: int, H: int, T: int, variant: str) -> None:
    """Put a variant's parameters into an attention; a synthesizer has neither queries nor keys."""
    if variant == "relative":
        attention.bias = nn.Parameter(torch.empty(H, T))
    if not variant.startswith("synthesizer"):
        return
    d = D // H
    del attention.query, attention.key
    shapes = {"A": (H, D, d), "b1": (H, d), "B": (H, d, T), "b2": (H, T)}  # Tay et al. 2020, one of each per head
    if variant == "synthesizer_shared":
        shapes |= {"B": (d, T - 1), "b2": (T - 1,)}  # the original code: one for all heads, and one position less
    for name, shape in shapes.items():
        setattr(attention, name, nn.Parameter(torch.empty(shape)))
