"""Which digit each word of notebook 02's translator depends on most: eight trainings and two controls.

The controls are translators before training, and translators whose digits come in a random order, which can know which
digits there are and not where they stand. Numbers with four different digits cannot tell the second control from a
translator that reads places; numbers in which a digit occurs twice can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.claims.measure.cells import names_of
from benchmarks.paths import ROOT
from course_utils.corpora.numbers import TAGS, decode_words, number_tensors, split_numbers
from course_utils.lessons.translator import Translator, load_translator, save_translator, train_translator

SEEDS, SHUFFLED_SEEDS = range(8), range(3)
NUMBERS = 25  # of each kind and language
MEANT = {"en": (0, None, 1, None, 2, 3), "de": (0, None, 1, None, 3, None, 2)}  # place of the digit that a word means


def reading_maps() -> dict[str, list[dict[str, float]]]:
    """For every arm and seed: share of held-out numbers translated rightly, and shares of words that read their digit."""
    return {
        "trained": [looked_at(translator(seed)) for seed in SEEDS],
        "untrained": [looked_at(fresh(seed)) for seed in SEEDS],
        "shuffled digits": [looked_at(translator(seed, shuffled=True)) for seed in SHUFFLED_SEEDS],
    }


def fresh(seed: int) -> nn.Module:
    """A translator before training, with the notebook's layers."""
    cells = names_of("02_blocks")
    torch.manual_seed(seed)
    return Translator(cells["EncoderLayer"], cells["DecoderLayer"]).eval()


def translator(seed: int, shuffled: bool = False, folder: Path = ROOT / "build" / "translators") -> nn.Module:
    """A trained translator; ``folder`` keeps the weights."""
    path, model = folder / f"{seed}{'-shuffled' if shuffled else ''}.safetensors", fresh(seed)
    if not path.is_file():
        loss: Callable[..., Tensor] = names_of("02_blocks")["translation_loss"]
        rng = torch.Generator().manual_seed(seed)

        def mixed(model: nn.Module, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
            """The loss with the digits of each number in an order of their own; PAD stays behind them."""
            keys = torch.rand(source.shape, generator=rng) + 2.0 * (source == 0)
            return loss(model, source.gather(1, keys.argsort(1)), tag, target)  # (B, Ls)

        train_translator(model, mixed if shuffled else loss, split_numbers()[0], seed=seed)
        save_translator(model, path)
    load_translator(model, path)
    return model


def looked_at(model: Any) -> dict[str, float]:
    """Shares for one translator."""
    different, twice = chosen_numbers()
    return {
        "exact": exact(model),
        "different digits": reads_its_digit(model, different),
        "a digit twice": reads_its_digit(model, twice),
    }


def exact(model: Any) -> float:
    """Share of 500 held-out translations that are right to the last word."""
    source, tag, target = number_tensors(split_numbers()[1][:250])
    said = names_of("02_blocks")["translate"](model, source, tag, target.shape[1])
    return sum(decode_words(a) == decode_words(b) for a, b in zip(said, target, strict=True)) / len(target)


def chosen_numbers() -> tuple[list[int], list[int]]:
    """Held-out numbers of four digits from 2 to 9, all different; and such in which one digit occurs twice."""
    kinds: dict[int, list[int]] = {4: [], 3: []}
    for number in split_numbers()[1]:
        digits = str(number)
        if len(digits) == 4 and not set(digits) & set("01") and len(set(digits)) in kinds:
            kinds[len(set(digits))].append(number)
    return kinds[4][:NUMBERS], kinds[3][:NUMBERS]


def reads_its_digit(model: Any, numbers: Sequence[int]) -> float:
    """Share of the words that stand for a digit which depend most on just this digit."""
    found = [place == meant for number in numbers for place, meant in _read(model, number)]
    return sum(found) / len(found)


def _read(model: Any, number: int) -> Iterator[tuple[int, int]]:
    """For every word that stands for a digit: the place of the digit that it depends on most, and of the one it means."""
    for language in TAGS:
        change, words = names_of("02_blocks")["reading_map"](model, number, language)
        assert len(words) == len(MEANT[language]), (number, words)
        yield from ((int(row.argmax()), m) for row, m in zip(change, MEANT[language], strict=True) if m is not None)
