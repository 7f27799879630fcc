"""Processes that judge answers on file, forked from one that has imported what they need: two imports of torch are saved.

This module imports none of it itself, so that a command can start that process before its own imports.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

FEW = 8  # answers; so many fewer are judged in the command's own process


def context() -> ForkServerContext:
    """The context of such processes. Each has a main thread, whose alarm ends a check that takes too long."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["autograder.quality.misconceptions"])
    return found


def start_early() -> None:
    """Start the process that imports; it goes on while the caller does other work."""
    context()
    forkserver.ensure_running()
