"""Notebook 04's reference: modules whose numbers are counted, so that no formula has to be believed."""

from __future__ import annotations

import torch
from torch import nn

from course_utils.config import ModelConfig
from course_utils.lessons.counting import numel
from course_utils.model import GPT

VARIANTS = ("vanilla", "rope", "relative", "synthesizer", "synthesizer_shared", "perceiver")


def gpt_numel(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or of a variant of it, as the table of notebook 04 describes them.

    The course's own GPT is built; where a variant has other numbers, they are put into it as empty parameters of the
    right shapes. Raises ValueError for an unknown variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"no variant {variant!r}")
    position = "none" if variant in ("rope", "relative") else "learned"
    model = GPT(ModelConfig(vocab_size=V, block_size=T, n_layer=L, n_head=H, n_embd=D, position=position))
    for name, module in model.named_modules():
        if name.endswith(".attention"):
            _swap(module, D, H, T, variant)
    if variant == "perceiver":
        model.latents = nn.Parameter(torch.empty(m, D))
    return numel(model)


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
