"""Draws that come again at some distance are found, and independent ones are not called so."""

from __future__ import annotations

import pytest
import torch

from course_utils.checks.compare import CheckFailed
from course_utils.checks.counts import require_apart
from course_utils.checks.repeats import distance


def independent(kind: int, seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    if kind < 4:
        return (torch.rand(8, 1000, generator=rng) < (0.5, 0.1, 0.004, 0.98)[kind]).long()
    values = torch.randint(0, (4, 90)[kind % 2], (300, 21), generator=rng)
    return values.where(torch.rand(300, 21, generator=rng) < 0.3, -1)  # few are there


@pytest.mark.parametrize("kind", range(6))
def test_independent_numbers_do_not_repeat(kind):
    assert [distance(independent(kind, seed)) for seed in range(40)] == [None] * 40


def test_places_with_laws_of_their_own_do_not_repeat():
    share = torch.linspace(0.02, 0.98, 25)
    rows = (torch.rand(400, 25, generator=torch.Generator().manual_seed(1)) < share).long()
    assert distance(rows) is None


@pytest.mark.parametrize("far", [50, 64, 1000, 4096])
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_a_table_that_is_read_again_is_found(far, share):
    table = (torch.rand(far, generator=torch.Generator().manual_seed(far)) < share).long()
    found = distance(table[torch.arange(10_000) % far][None])
    assert found is not None and found % far == 0


def test_the_sentence_names_layer_and_distance():
    rows = torch.randint(0, 2, (64, 20), generator=torch.Generator().manual_seed(0)).repeat(3, 1)
    with pytest.raises(CheckFailed, match="coin: draws that are 1,280 apart go together"):
        require_apart([{"coin (heads | tails)": rows}])
