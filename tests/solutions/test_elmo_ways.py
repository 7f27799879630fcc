"""How ELMo's check asks: what the text leaves free changes no answer, and what it fixes is looked at."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from course_utils.checks.asking import Reference
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case, Draw
from course_utils.lessons.elmo_ways import answered, at_tokens, moves, part_slopes, slopes, texts
from course_utils.lessons.pretraining import reverse_rows
from solutions.reference import pretraining as ref

V, W, PAD = 7, 3, 2


class Elmo(nn.Module):
    """The same model in other words: names, order, widths, tables and heads of its own for each direction."""

    def __init__(self, vocab_size, width, pad, wide=(2, 9), layers=1, kind=nn.LSTM):
        super().__init__()
        self.pad = pad
        self.heads = nn.ModuleList(nn.Linear(width, vocab_size) for _ in wide)
        self.lstms = nn.ModuleList(kind(size, width, num_layers=layers, batch_first=True) for size in wide)
        self.tables = nn.ModuleList(nn.Embedding(vocab_size, size) for size in wide)

    def forward(self, ids):
        n = (ids != self.pad).sum(1)
        b = reverse_rows(self.lstms[0](self.tables[0](reverse_rows(ids, n)))[0], n)
        f = self.lstms[1](self.tables[1](ids))[0]
        return self.heads[1](f), self.heads[0](b), torch.cat([f, b], -1)


def case_of(ids, *upstream, **setup):
    return Case((ids, *upstream), setup={"sizes": (V, W, PAD), "seed": 5, **setup})


def ask(way, made, case):
    return way(Reference({"Elmo": made}), case, "Elmo")


@pytest.fixture
def ids():
    return torch.tensor([[1, 4, 0, 6, 3], [5, 1, 3, 2, 2], [6, 2, 2, 2, 2]])


class TwoNames(Elmo):
    """The second table and head are the first ones under another name."""

    def __init__(self, vocab_size, width, pad):
        super().__init__(vocab_size, width, pad, wide=(4, 4))
        self.tables[1], self.heads[1] = self.tables[0], self.heads[0]


@pytest.mark.parametrize("made", [Elmo, TwoNames])
def test_names_order_widths_and_sharing_change_no_answer(ids, made):
    real = (ids != PAD)[..., None]
    upstream = [torch.randn(*ids.shape, size) * real for size in (V, V, 2 * W)]
    for way, case in ((answered, case_of(ids)), (slopes, case_of(ids, *upstream))):
        one, two = ask(way, ref.Elmo, case), ask(way, made, case)
        if way is answered:
            one, two = at_tokens(case, one), at_tokens(case, two)
            assert one[0].abs().max() > 0.1 and not one[0][1, 3:].any()
        flat = [torch.cat([x.flatten() for part in got for x in part]) for got in (one, two)]
        assert torch.allclose(*flat, atol=1e-5)


def test_the_first_token_of_a_long_text_counts_at_its_end():
    for seed in range(20):
        row = texts(Draw(seed, 2), 1, 140, V, PAD)
        other = row.clone()
        other[0, 0] = next(i for i in range(V) if i not in (PAD, int(row[0, 0])))
        case = case_of(row, seed=seed)
        one, two = (ask(answered, ref.Elmo, Case((x,), setup=case.setup))[2] for x in (row, other))
        assert (one - two)[0, -1, :W].abs().max() > 1.5e-4  # answers are compared to within 1e-4


def test_texts_have_every_kind_of_row():
    lots = [texts(Draw(0, number), 3, 9, V, PAD, shortest=3) for number in range(30)]
    lengths = torch.stack([(ids != PAD).sum(1) for ids in lots])
    assert lengths.min() == 3 and (lengths == 9).all(1).any() and (lengths < 9).all(1).any()
    assert all((ids[:, 1:][ids[:, :-1] == PAD] == PAD).all() for ids in lots)


def extra(*sizes):
    made = Elmo(*sizes)
    made.norm = nn.LayerNorm(3)
    return made


def one_reader(*sizes):
    made = Elmo(*sizes)
    made.lstms = made.lstms[:1]
    return made


def without_biases(*sizes):
    made = Elmo(*sizes)
    made.lstms[0] = nn.LSTM(2, W, batch_first=True, bias=False)
    return made


def wide_heads(vocab_size, width, pad):
    made = Elmo(vocab_size, width, pad)
    made.heads = nn.ModuleList(nn.Linear(2 * width, vocab_size) for _ in range(2))
    return made


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda *sizes: Elmo(*sizes, layers=2), "has 4 in all"),
        (lambda *sizes: Elmo(*sizes, kind=nn.GRU), "width"),
        (extra, "does not ask for"),
        (one_reader, "has 1 in all"),
        (without_biases, "biases"),
        (wide_heads, "Linear"),
        (lambda *sizes: 3, "must give a module"),
    ],
)
def test_other_layers_than_the_texts_are_refused(ids, make, words):
    with pytest.raises(CheckFailed, match=words):
        ask(answered, make, case_of(ids))


def test_what_moves_is_told_by_side(ids):
    other = ids.clone()
    other[0, 2] = 5
    case = Case((ids, other, 0, 2), setup={"sizes": (V, W, PAD)})
    left, right = [False, True, True, False], [True, True, False, False]
    assert list(ask(moves, ref.Elmo, case).values()) == [left, right, left, right]

    class Both(ref.Elmo):
        def forward(self, ids):
            one, two, states = super().forward(ids)
            return one + two, two, states

    assert next(iter(ask(moves, Both, case).values())) == [True, True, True, False]


def test_a_result_that_is_cut_off_has_no_gradient(ids):
    class Cut(ref.Elmo):
        def forward(self, ids):
            one, two, states = super().forward(ids)
            return one, two, states.detach()

    upstream = [torch.ones(*ids.shape, size) for size in (V, V, 2 * W)]
    found = part_slopes(Cut(V, W, PAD), ids, upstream)
    assert (
        found[2] is None and not found[0]["leftwards.weight_hh_l0"].any() and found[1]["leftwards.weight_hh_l0"].any()
    )
    with pytest.raises(CheckFailed, match="no gradient"):
        ask(slopes, Cut, case_of(ids, *upstream))
