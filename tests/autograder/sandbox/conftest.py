"""One small sandbox for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel

SMALL = Limits(memory=400 * MIB, processes=16, file_size=8 * MIB, disk=16 * MIB)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("sandbox")
    (folder / "public").mkdir()
    (folder / "public" / "hello.py").write_text("WORD = 'hello'\n")
    (folder / "files" / "deep").mkdir(parents=True)
    (folder / "files" / "predictions.txt").write_text("Oslo\n")
    (folder / "files" / "deep" / "more.txt").write_text("x")
    (folder / "secret.txt").write_text("hidden")
    return Paths(folder / "public", folder / "files", "07_knowledge")


@pytest.fixture(scope="module")
def shared(paths: Paths) -> Iterator[Kernel]:
    with Kernel(paths, SMALL) as kernel:
        yield kernel


@pytest.fixture
def kernel(shared: Kernel) -> Kernel:
    if not shared.alive:
        shared.start()
    return shared


def shown(result: CellResult) -> str:
    """All text that a cell gave."""
    parts = [
        item.get("text") or item.get("data", {}).get("text/plain") or item.get("evalue", "") for item in result.outputs
    ]
    return "".join(parts)
