"""Modules that a judge's process imports before it takes a submission, so that no check's time is used for them."""

from __future__ import annotations

import importlib

# torch imports torch._dynamo with the first optimizer: 800 modules, 2 s of a check's time limit.
MODULES = ("torch", "torch._dynamo", "autograder.judge.execute")


def load() -> None:
    """Import them."""
    for name in MODULES:
        importlib.import_module(name)
