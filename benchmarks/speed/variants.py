"""Attention variants of the solutions, entered by name for a run that asks for one."""

from __future__ import annotations

import importlib
import importlib.util


def register_variant(variant: str) -> None:
    """Import the reference module of a variant, which enters it by name."""
    if importlib.util.find_spec(f"solutions.reference.{variant}") is not None:
        importlib.import_module(f"solutions.reference.{variant}")
