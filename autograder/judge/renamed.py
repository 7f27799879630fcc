"""Old names of modules that checks of version 0.1 import, so that a release of an earlier term can be graded.

A release contains the text of its checks, which import modules of the version that made it. A module that no longer has
its old name is found here; a module that still exists is never replaced.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

RENAMED = {
    "course_utils.answers": ["course_utils.checks.answers"],
    "course_utils.blocks_tools": ["course_utils.lessons.blocks", "course_utils.checks.helpers"],
    "course_utils.bounds": ["course_utils.checks.bounds"],
    "course_utils.by_hand_tools": ["course_utils.lessons.attention", "course_utils.checks.helpers"],
    "course_utils.compare": ["course_utils.checks.compare"],
    "course_utils.contract": ["course_utils.checks.span_corruption"],
    "course_utils.counting_tools": ["course_utils.lessons.counting"],
    "course_utils.decode": ["course_utils.generate"],
    "course_utils.handin": ["course_utils.checks.handin"],
    "course_utils.knowledge_tools": ["course_utils.lessons.knowledge", "course_utils.notebook.session"],
    "course_utils.mask_lab": ["course_utils.lessons.masks"],
    "course_utils.numbers_data": ["course_utils.corpora.numbers"],
    "course_utils.pretraining_probes": ["course_utils.lessons.pretraining_probes"],
    "course_utils.pretraining_tools": ["course_utils.lessons.pretraining"],
    "course_utils.probe_models": ["course_utils.lessons.probe_models"],
    "course_utils.probe_runs": ["course_utils.lessons.probe_runs"],
    "course_utils.probes_data": ["course_utils.corpora.stories"],
    "course_utils.reviews": ["course_utils.corpora.reviews"],
    "course_utils.runtime": ["course_utils.engine.engine", "course_utils.device", "course_utils.engine.stop"],
    "course_utils.selfcheck": ["course_utils.checks.selfcheck"],
    "course_utils.span_layout": ["course_utils.checks.span_samples"],
    "course_utils.transfer_probes": ["course_utils.lessons.transfer_probes"],
    "course_utils.transfer_tools": ["course_utils.lessons.transfer"],
    "course_utils.translator": ["course_utils.lessons.translator"],
    "course_utils.variant_tools": ["course_utils.lessons.variants"],
    "course_utils.world": ["course_utils.corpora.world"],
}


class _Finder(MetaPathFinder, Loader):
    """A finder for the old names; it stands last, after those of all existing modules."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in RENAMED else None

    def exec_module(self, module: ModuleType) -> None:
        places = [importlib.import_module(name) for name in RENAMED[module.__name__]]

        def forward(name: str) -> Any:
            for place in places:
                if hasattr(place, name):
                    return getattr(place, name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        module.__dict__["__getattr__"] = forward


def install() -> None:
    """Let old names be imported in this process. Safe to call again."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
