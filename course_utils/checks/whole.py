"""What a declaration of promises must have, whatever it promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from course_utils.checks.asking import Ask
from course_utils.checks.trouble import Trouble, repeatable
from course_utils.errors import CourseError

STEPS = 3  # ways to get a part of the points, at most


class Promised(Protocol):
    """A promise, as far as is looked at here."""

    @property
    def sentence(self) -> str: ...
    @property
    def part(self) -> str: ...
    @property
    def ask(self) -> Ask | None: ...
    @property
    def trouble(self) -> bool | tuple[str, ...]: ...
    @property
    def cases(self) -> Callable[..., Any] | Sequence[Any]: ...


def require_whole(kept: Sequence[Promised], shares: Mapping[str, float]) -> None:
    """Raise CourseError for two promises with one sentence, one without a case, and parts that do not fit their shares."""
    sentences = [one.sentence for one in kept]
    if idle := [one.sentence for one in kept if not callable(one.cases) and not one.cases]:
        raise CourseError(
            f"{idle[0]!r} has no case: nothing would be asked for it. Give one, or a function that draws."
        )
    if not kept or len(set(sentences)) != len(sentences):
        raise CourseError("A check needs promises, each with a sentence of its own.")
    parts = {one.part for one in kept} - {""}
    if shares and (whole := [one.sentence for one in kept if not one.part]):
        raise CourseError(f"On which part does {whole[0]!r} hang? The points come in parts.")
    if parts != set(shares) or len(parts) > STEPS or (shares and abs(sum(shares.values()) - 1) > 1e-9):
        raise CourseError(
            f"The parts of the promises are {sorted(parts)}: give each a share, {STEPS} at most, with sum 1."
        )


def require_repeated(kept: Sequence[Promised], usual: Ask, always: Sequence[Trouble]) -> None:
    """Raise CourseError where a function or class that is called is never called twice, and the rule says that it may be."""
    if repeatable.name not in {one.name for one in always}:
        return
    asks = [(one.ask or usual, one.trouble) for one in kept]
    called = {ask.name for ask, _ in asks if ask.way in ("call", "module")}
    twice = {ask.name for ask, trouble in asks if trouble is True or (trouble and repeatable.name in trouble)}
    if lonely := sorted(called - twice):
        raise CourseError(
            f"{lonely[0]} is under the rule {repeatable.name!r}, and no promise about it makes this trouble."
        )
