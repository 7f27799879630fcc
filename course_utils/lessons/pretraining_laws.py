"""What the checks of notebook 06 count in random results (``course_utils.checks.counts``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case

UNASKED = -100
OUTCOME = "word (not chosen | MASK | left as it was | another word)"


def _two_tensors(ids: Tensor, result: Any) -> tuple[Tensor, Tensor]:
    """x and y, or CheckFailed."""
    if type(result) not in (tuple, list) or len(result) != 2:
        raise CheckFailed("return two tensors, `return x, y`")
    for part in result:
        if type(part) is not Tensor or part.dtype != torch.int64 or part.shape != ids.shape:
            raise CheckFailed("x and y must be int64 tensors of the shape of ids")
    return result[0], result[1]


def damage_rules(case: Case, result: Any) -> dict[str, bool]:
    """What holds for every damaged batch, whatever was drawn; the same for x and y of any shape."""
    ids, special, mask_id, V = case.args[:4]
    x, y = _two_tensors(ids, result)
    ordinary, asked, there = ~torch.isin(ids, torch.tensor(special)), y != UNASKED, torch.isin(x, torch.tensor(special))
    return {
        "a word that is not asked for stays": bool((x == ids)[~asked].all()),
        "y holds the original word": bool((y == ids)[asked].all()),
        "special ids are not asked for": not bool((asked & ~ordinary).any()),
        "no special id is drawn": not bool((there & ordinary & (x != mask_id)).any()),
        "what is drawn lies in the vocabulary": bool(((x >= 0) & (x < V)).all()),
    }


def targets(case: Case, result: Any) -> Tensor:
    """y (B, T) alone, which at rate 1 leaves nothing to chance."""
    return _two_tensors(case.args[0], result)[1]


def choices(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per place (B, T) that holds a word: whether it is asked for."""
    ids, special = args[:2]
    asked = (_two_tensors(ids, result)[1] != UNASKED).long()
    return {"word (not chosen | chosen)": asked.masked_fill(torch.isin(ids, torch.tensor(special)), -1)}


def fates(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per place (B, T): unasked 0, MASK 1, kept 2, another word 3; of other words which one; both together in one number."""
    ids, special, mask_id, V = args[:4]
    x, y = _two_tensors(ids, result)
    ordinary = ~torch.isin(ids, torch.tensor(special))
    asked = y != UNASKED
    fate = torch.where(~asked, 0, torch.where(x == mask_id, 1, torch.where(x == ids, 2, 3))).masked_fill(~ordinary, -1)
    word = torch.where(fate == 3, x.clamp(0, V), -1)
    return {OUTCOME: fate, "the other word": word}


def outcomes(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per place (B, T): unasked 0, MASK 1, kept 2, another word 3, whichever word that is."""
    return {OUTCOME: fates(args, result)[OUTCOME]}


def strange_words(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per place (B, T) that got another word: which one."""
    return {"the random word": fates(args, result)["the other word"]}


def shares_of_words(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per place (B, T) that got another word: in which half and tenth of the words this one lies, specials not counted."""
    other, ordinary = fates(args, result)["the other word"], torch.ones(args[3] + 1, dtype=torch.bool)
    ordinary[args[1]], ordinary[args[3]] = False, False
    place = ordinary.cumsum(0)[other.clamp(min=0)] - 1  # (B, T), among the words alone
    n = int(ordinary.sum())
    return {
        f"{name} of the words": torch.where(other >= 0, place * k // n, -1) for name, k in (("half", 2), ("tenth", 10))
    }
