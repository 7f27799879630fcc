"""How the check of span corruption asks whether all draws come from ``self.rng``: by seeds, and by a state that is put back."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from course_utils.checks.asking import sent
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.checks.span_samples import Span
from course_utils.lessons.span_laws import require, sample, trimmed

HERE = "course_utils.lessons.span_states."


@fetches("a generator of any kind is copied where it is")
def twice(dataset: Any, places: Sequence[int]) -> list[Any]:
    """The items at these places, and again with ``dataset.rng`` in the state that it had before."""
    state = copy.deepcopy(dataset.rng)
    first = trimmed(dataset, places)
    dataset.rng = state
    return [first, trimmed(dataset, places)]


def _numbers(found: Any) -> list[Any]:
    """What comes of :func:`trimmed`, to be compared."""
    parts = found if isinstance(found, tuple | list) else ()
    return [part.tolist() if type(part) is Tensor else None for part in parts]


def own_generator(student: Any, case: Case, name: str) -> bool:
    """Raise CheckFailed unless all draws come from the dataset's own generator, which ``seed`` and ``reseed`` set."""
    documents, vocab, T, seed = case.args
    one, other, twin = (getattr(student, name)(sent(student, documents), vocab, T, seed + k) for k in (0, 1, 0))
    places = case.setup["items"]

    def twelve(dataset: Any) -> list[Span]:
        return sample(dataset, student, case, places)

    hint = "draw from self.rng alone, not from the global random, numpy or torch generators: "
    first, second = twelve(one), twelve(one)
    require(first != second, "the same item is corrupted in the same way every time: make a new draw at every call")
    require(twelve(twin) == first, hint + "two datasets with one seed must give the same")
    require(twelve(other) != first, hint + "datasets with different seeds must give different draws")
    runs: dict[int, list[list[Span]]] = defaultdict(list)
    for earlier, number in enumerate((5, 5, 6, 7, 5, 5, 7, 8, 5, 6)):
        sample(one, student, case, places[: 2 * earlier % 5 + 1])  # what was drawn before must not matter
        one.reseed(seed + number)
        runs[number].append(twelve(one))
    require(
        all(run == found[0] for found in runs.values() for run in found),
        "after reseed(seed) the same draws must come again, whatever was drawn before: keep nothing beside self.rng",
    )
    twin.reseed(seed + 5)
    require(
        twelve(twin) == runs[5][0],
        "after reseed(seed) two datasets of the same documents must give the same draws: runs are repeated in that way",
    )
    first, second = student.tool(HERE + "twice")(one, list(places))
    require(
        _numbers(first) == _numbers(second),
        "draw from self.rng alone, from no other generator and no counter: with self.rng in one state the same draws must come",
    )
    require(
        runs[5][0] != runs[6][0], hint + "reseed with another seed must give other draws, or all workers draw the same"
    )
    return True
