"""Conversion of random generators to their states and back."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .limits import BIT_GENERATORS, WireError, loaded_torch


def generator_state(value: Any) -> tuple[str, Any] | None:
    """Flavour and state (plain values) of a Python, numpy or CPU torch generator; None for anything else."""
    if type(value) is random.Random:
        version, words, gauss = value.getstate()
        return "python", [version, np.array(words, np.uint64), gauss]
    if type(value) is np.random.Generator:
        return "numpy", dict(value.bit_generator.state)
    torch = loaded_torch()
    if torch is not None and type(value) is torch.Generator and value.device.type == "cpu":
        return "torch", value.get_state()
    return None


def generator_from(flavour: str, state: Any) -> Any:
    """A generator in the given state; the inverse of :func:`generator_state`."""
    if flavour == "python":
        made = random.Random()
        made.setstate((state[0], tuple(int(w) for w in state[1]), state[2]))
        return made
    if flavour == "numpy":
        if state["bit_generator"] not in BIT_GENERATORS:
            raise WireError(f"an unknown bit generator {state['bit_generator']!r}")
        bits = getattr(np.random, state["bit_generator"])()
        bits.state = state
        return np.random.Generator(bits)
    import torch

    return torch.Generator().set_state(state)
