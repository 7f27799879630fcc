"""Takes layers of the wall away, for tests alone: nothing that grades can reach these switches.

The sandbox's limits of memory and processes stay when its namespaces go: the machine under test is somebody's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from autograder.sandbox import layers
from tests.attacks.record import Wall


@contextlib.contextmanager
def standing(wall: Wall) -> Iterator[None]:
    """Sandboxes that start inside the block have only the layers of ``wall``."""
    gone = () if wall.sandbox else ("namespaces", "neutral_mounts")
    gone += () if wall.filter else ("seccomp",)
    with layers.without(*gone):
        yield
