"""What a student's functions returned in a way of asking of the course's own, kept where it is and looked at again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from course_utils.checks.asking import FETCH, is_handle, opaque
from course_utils.checks.compare import difference, plain
from course_utils.checks.student import Held


class Called(Held):
    """A function of the student's, whose results its owner keeps, or a tool of the course, which has no owner."""

    __slots__ = ("_function", "_owner")

    def __init__(self, function: Any, owner: Keeping | None) -> None:
        self._function, self._owner = function, owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [bare(value) for value in args]
        if kwargs or self._owner is None:  # nothing is held with names of arguments
            return self._function(*given, **{key: bare(value) for key, value in kwargs.items()})
        return self._owner.result(self._function, given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __getitem__(self, index: Any) -> Any:
        return self._function[index]

    def __len__(self) -> int:
        return len(self._function)

    @staticmethod
    def _entries_(handles: Sequence[Any], most: int) -> list[Any]:
        return [None for _ in handles]  # a function is no sequence

    __iter__ = None


def bare(value: Any) -> Any:
    """The value with functions as they are sent, in lists and dictionaries too."""
    if isinstance(value, Called):
        return value._function
    if type(value) is dict:
        return {key: bare(one) for key, one in value.items()}
    return type(value)(map(bare, value)) if type(value) in (list, tuple) else value


class Keeping:
    """A student asked as ever, whose functions' results are kept. Modules made by a class are used as they are.

    Args:
        student: in the notebook or in a sandbox.
        alone: whether the functions are called where no gradients are kept.
    """

    def __init__(self, student: Any, *, alone: bool) -> None:
        self._student, self._kept = student, list[tuple[Any, Any]]()
        self._alone = student.tool(FETCH + "without_gradients") if alone else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._student, name)
        return Called(found, self) if is_handle(found) else found

    def result(self, function: Any, given: Sequence[Any]) -> Any:
        """What the function returns, by value where it is plain."""
        call = (self._alone, function, given, {}) if self._alone is not None else (function, *given)
        held = self._student.hold(*call)
        value = self._student.fetch(held)
        if not is_handle(value):
            self._kept.append((held, plain(value, opaque)))
        return value

    def unchanged(self) -> bool:
        """Whether all results are still what they were when they came."""
        return all(difference(plain(self._student.fetch(held), opaque), value) is None for held, value in self._kept)

    def tool(self, path: str) -> Called:
        """A tool of the course, which is given the functions themselves."""
        return Called(self._student.tool(path), None)

    def keep(self, value: Any) -> Any:
        """As the student does."""
        return self._student.keep(bare(value))

    def hold(self, function: Any, *args: Any) -> Any:
        """As the student does."""
        return self._student.hold(bare(function), *map(bare, args))

    def fetch(self, handle: Any) -> Any:
        """As the student does."""
        return self._student.fetch(bare(handle))

    def map(self, function: Any, rows: Iterable[Sequence[Any]]) -> list[Any]:
        """As the student does."""
        return list(self._student.map(bare(function), [tuple(map(bare, row)) for row in rows]))
