"""Equal models within a class: weights that are the same in whatever type of numbers, or nearly the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

ENOUGH = 3.0
SAMPLE, FEWER, USUAL = 512, 64, 64  # numbers of a tensor that are looked at; fewer where a file has more than usual
NEAR = 0.9999  # cosine of two models' weights: noise of one percent leaves more
# Students choose what is in their files: what is read of them is bounded as the judge bounds it
MOST_BYTES, MOST_HEADER, MOST_TENSORS = 512 * 2**20, 4 * 2**20, 10_000
FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": np.uint16}
Sketch = tuple[int, np.ndarray]  # how many numbers a tensor has, and a sample of them
Evidence = tuple[tuple[str, ...], float, str]


def few(count: int, size: int) -> bool:
    """Whether so many of a class of this size are few."""
    return 2 <= count <= max(2, size // 10)


def sketch(path: Path) -> dict[str, Sketch] | None:
    """Of each tensor of a safetensors file, by its name and shape, a fixed sample of its numbers; None if it is none.

    All types of floating-point numbers are read alike, so that a model in another type is the same model. The sample's places
    depend on the shape alone. Tensors of few numbers, or with one that is not finite, are left out.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        data = memoryview(path.read_bytes())
        size = int.from_bytes(data[:8], "little")
        if size > MOST_HEADER:
            return None
        header = json.loads(bytes(data[8 : 8 + size]))
        tensors = {name: one for name, one in header.items() if name != "__metadata__" and one["dtype"] in FLOATS}
        if not _apart([one["data_offsets"] for one in tensors.values()]):
            return None
        most = SAMPLE if len(tensors) <= USUAL else FEWER
        found = {f"{name} {one['shape']}": _sampled(data[8 + size :], one, most) for name, one in tensors.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None
    return {name: one for name, one in found.items() if one is not None} or None


def _apart(places: Sequence[Sequence[int]]) -> bool:
    """Whether no two tensors claim the same bytes, else a small file would be a large model."""
    found = sorted((start, stop) for start, stop in places)
    ordered = all(0 <= start <= stop for start, stop in found)
    return len(found) <= MOST_TENSORS and ordered and all(a[1] <= b[0] for a, b in pairwise(found))


def _sampled(data: memoryview, one: Mapping[str, Any], most: int) -> Sketch | None:
    """How many numbers a tensor has, and at most ``most`` of them as float64; a smaller sample is the beginning of a larger."""
    start, stop = one["data_offsets"]
    bits = np.frombuffer(data[start:stop], FLOATS[one["dtype"]])
    if len(bits) < 16:
        return None
    draws = np.random.default_rng(len(bits)).integers(0, len(bits), SAMPLE)[:most]
    values = bits[draws]
    if one["dtype"] == "BF16":  # the upper half of a float32
        values = (values.astype(np.uint32) << 16).view(np.float32)
    values = values.astype(np.float64)
    usual = np.isfinite(values).all() and 0 < np.abs(values).max() < 1e30  # squares of larger ones are no numbers
    return (len(bits), values) if usual else None


def cosine(one: Mapping[str, Sketch], other: Mapping[str, Sketch]) -> float:
    """Cosine of the numbers of two models at the same places; 0 if they share less than most of the smaller one's tensors.

    Tensors that one of them has alone do not count, since checks read only those of their own names.
    """
    same = one.keys() & other.keys()
    whole = min(sum(size for size, _ in model.values()) for model in (one, other))
    if 2 * sum(one[name][0] for name in same) <= whole:
        return 0.0
    pairs = [(one[name][0], one[name][1], other[name][1]) for name in sorted(same)]
    x, y = (
        np.concatenate([_weighed(size, *both) for size, *both in part])
        for part in (pairs, [(n, b, a) for n, a, b in pairs])
    )
    return float(unit(x) @ unit(y))


def _weighed(size: int, mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """As much of a sample as both have, with the weight of all numbers of its tensor."""
    values = mine[: len(theirs)]
    return values * (size / len(values)) ** 0.5


def unit(values: np.ndarray) -> np.ndarray:
    """The vector with length 1; 0 stays 0."""
    return values / max(float(np.linalg.norm(values)), 1e-300)


def cosines_of(models: Sequence[Mapping[str, Sketch]]) -> np.ndarray:
    """Cosines (N, N) of all pairs; quickly for those with the same tensors, which are nearly all in an honest class."""
    found = np.eye(len(models))
    groups: dict[tuple[tuple[str, int], ...], list[int]] = defaultdict(list)
    for number, model in enumerate(models):
        groups[tuple((name, len(model[name][1])) for name in sorted(model))].append(number)
    for rows in groups.values():
        whole = [[_weighed(*models[row][name], models[row][name][1]) for name in sorted(models[row])] for row in rows]
        units = np.stack([unit(np.concatenate(parts)) for parts in whole])
        found[np.ix_(rows, rows)] = units @ units.T
    for one, other in combinations(groups.values(), 2):
        for row, column in product(one, other):
            found[row, column] = found[column, row] = cosine(models[row], models[column])
    return found


def equal_weights(
    folders: Mapping[str, Path | None], files: Mapping[str, dict[str, str]], given: set[str]
) -> Iterable[Evidence]:
    """Models whose weights are equal, in whatever type of numbers, or so close that one is the other with noise.

    Args:
        folders: of handed-in files, by student.
        files: SHA-256 by name of what is in them.
        given: SHA-256 of files that everybody has.
    """
    models: dict[str, list[tuple[str, str, dict[str, Sketch]]]] = defaultdict(list)
    for student, folder in folders.items():
        for name, digest in files[student].items():
            if name.endswith(".safetensors") and digest not in given and folder is not None:
                found = sketch(folder / name)
                if found is not None:
                    models[name].append((student, digest, found))
    for name, same in models.items():
        yield from _close(name, same, len(folders))


def _close(name: str, models: Sequence[tuple[str, str, dict[str, Sketch]]], size: int) -> Iterable[Evidence]:
    """Pairs of one file's models. A larger group is named as one, because it often has a common cause, such as a seed."""
    cosines = cosines_of([model for *_, model in models])
    groups = set()
    for row, (student, digest, _) in enumerate(models):
        close = np.flatnonzero(cosines[row] >= NEAR)
        if len(close) > 1 and not few(len(close), size):
            groups.add(tuple(sorted(models[int(column)][0] for column in close)))
            continue
        for column in close[close > row]:
            other, theirs, _ = models[int(column)]
            equal = digest == theirs or cosines[row, column] >= 1 - 1e-12
            words = "equal weights" if equal else f"nearly equal weights (cosine {cosines[row, column]:.6f})"
            yield _ordered(student, other), ENOUGH, f"{name}: {words}"
    for group in sorted(groups):
        yield group, ENOUGH, f"{name}: {len(group)} submissions have the same or nearly the same weights"


def _ordered(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)
