"""What only notebook 05 states: sizes, positions, forms of sentences, what its reference and its tools do. Seeds are stated."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import nn

from course_utils.checks.draws import Case
from course_utils.checks.selfcheck import Checker, CheckFailed
from course_utils.corpora import reviews
from course_utils.errors import CourseError
from course_utils.lessons import transfer as transfer_tools
from course_utils.lessons.text_model_ways import at_tokens, credible
from course_utils.lessons.transfer import (
    SIZES,
    bag_of_words,
    batches,
    corpus_entropy,
    kept,
    kept_curves,
    labelled_batches,
    load_reviews,
    position_table,
    save,
    scheduled,
    well_formed,
)
from course_utils.lessons.transfer_probes import Bigram, Shell, count_trained, one_epoch, shapes
from solutions.reference import transfer
from tests.paths import ROOT

DATA = ROOT / "data" / "reviews"
REAL = Path(os.environ.get("REAL_DATA", "nowhere")) / "altegrad"


def test_counts_at_the_original_size():
    full = transfer.TextModel(50_001, 50_001, 200, 2, 4, 200, 0.2)
    assert count_trained(shapes(full)) == 21_018_401
    assert count_trained(shapes(transfer.transfer(full, 2))) == 10_968_602
    assert count_trained(shapes(Shell(50_001, 2, 200, 2, 4, 200))) == 10_968_602


def test_shell_and_reference_have_the_same_parameters():
    sizes = (30, 5, 12, 3, 2, 17)
    names = [
        {n: p.shape for n, p in model.named_parameters()} for model in (Shell(*sizes), transfer.TextModel(*sizes, 0.1))
    ]
    assert names[0] == names[1]


def test_reference_is_causal_and_its_slips_are_not():
    torch.manual_seed(5)
    x = torch.randint(4, 30, (2, 9))
    later = torch.cat([x[:, :5], (x[:, 5:] + 1) % 30], 1)
    model = transfer.TextModel(30, 30, 16, 2, 2, 32, 0.1).eval()
    assert torch.allclose(model(x)[:, :5], model(later)[:, :5], atol=1e-5)
    model.base.mask = "none"
    assert not torch.allclose(model(x)[:, :5], model(later)[:, :5], atol=1e-3)


def test_outputs_at_padding_are_free_and_all_others_count():
    x, value = torch.tensor([[5, 0], [6, 7]]), torch.ones(2, 2, 3)
    other = value.clone()
    other[0, 1] = math.nan
    assert torch.equal(at_tokens(Case((x,)), value), at_tokens(Case((x,)), other))
    other[1, 1] = 2.0
    assert not torch.equal(at_tokens(Case((x,)), value), at_tokens(Case((x,)), other))


def test_a_share_is_credible_within_chance_alone():
    hits = (torch.rand(40_000, generator=torch.Generator().manual_seed(7)) < 0.6).double()
    assert credible(hits, 0.6) and not credible(hits, 0.63) and not credible(hits, 0.57)


def test_positions_are_distinct_signs_and_prefixes_of_each_other():
    table = position_table(200, 64)
    assert torch.equal(table.abs(), torch.ones(200, 64))
    assert torch.equal(position_table(63, 64), table[:63])
    overlap = (table @ table.T / 64).fill_diagonal_(0).abs()
    assert float(overlap.max()) < 0.65
    with pytest.raises(CourseError):
        position_table(5000, 8)


def test_positions_changed_in_place_change_no_later_ones():
    table = position_table(9, 4)
    kept = table.clone()
    table.mul_(0.5)
    assert torch.equal(position_table(9, 4), kept)


def test_entropy_and_bag_of_words_of_the_shipped_reviews():
    data = load_reviews(DATA)
    assert len(data.pieces) == 246
    assert len(data.train) == 40 and len(data.unlabelled) == 6000
    assert corpus_entropy(DATA) == pytest.approx(1.606, abs=5e-4)
    assert 0.55 < bag_of_words(data) < 0.8
    assert corpus_entropy(ROOT) is None


def test_generated_sentences_are_well_formed_and_others_are_not():
    texts = [r.text for r in reviews.generate(7, n_unlabelled=200).unlabelled]
    assert all(good == n for good, n in well_formed(texts))
    assert well_formed(["▁the ▁plot ▁is ▁is . ▁in ▁short , ▁bado ."]) == [(0, 1), (1, 1)]


def test_batches_hold_every_text_once_and_differ_by_epoch():
    texts = [[4 + i] * (1 + i % 7) for i in range(103)]
    epochs = [batches(texts, transfer.lm_batch, 8, seed) for seed in (0, 1)]
    for epoch in epochs:
        assert sorted(int(row[1]) for x, _ in epoch for row in x) == [4 + i for i in range(103)]
    assert [x.tolist() for x, _ in epochs[0]] != [x.tolist() for x, _ in epochs[1]]
    rows = labelled_batches(texts, [i % 2 for i in range(103)], transfer.lm_batch, 10, 3)
    assert all(int(y) == (int(x[1]) - 4) % 2 for xs, ys in rows for x, y in zip(xs, ys, strict=True))


def test_schedule_rises_then_falls_by_itself():
    weight = nn.Parameter(torch.zeros(1))
    optimizer = scheduled(torch.optim.SGD([weight], lr=1.0), 100)
    rates = []
    for _ in range(100):
        weight.grad = torch.ones(1)
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) > 0.88
    assert rates[-1] == pytest.approx(0.02, abs=0.01)


def test_kept_weights_are_loaded_only_for_the_same_reviews(tmp_path, capsys, monkeypatch):
    data = load_reviews(DATA)
    path = tmp_path / "net.safetensors"

    def build():
        return nn.Linear(3, 2)

    first, losses = kept(path, data, build, lambda model: [2.0, 1.0], "nothing")
    again, loaded = kept(path, data, build, lambda model: pytest.fail("trained again"), "nothing")
    assert torch.equal(first.weight, again.weight) and losses == loaded == [2.0, 1.0]
    other = transfer_tools.ReviewData(["x"], [0], ["x"], [0], ["x"], [], ["x"])
    assert kept(path, other, build, lambda model: [3.0], "nothing")[1] == [3.0]
    assert "other reviews" in capsys.readouterr().out
    monkeypatch.setenv("COURSE_GRADING", "1")
    assert kept(tmp_path / "none.safetensors", data, build, lambda model: pytest.fail("trains"), "it") == (None, [])


def test_what_is_unsolved_or_broken_gives_one_line(tmp_path, capsys):
    data = load_reviews(DATA)

    def unsolved(*_):
        raise NotImplementedError

    assert kept(tmp_path / "a.safetensors", data, lambda: nn.Linear(1, 1), unsolved, "that") == (None, [])
    assert kept_curves(tmp_path / "h.json", data, ("a",), 2, unsolved, "that") is None
    assert kept_curves(tmp_path / "h.json", data, ("a",), 2, lambda condition, seed: 1 / 0, "that") is None
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert kept_curves(tmp_path / "h.json", data, ("a",), 2, lambda condition, seed: [0.1 * seed], "that") == {
        "a": [[0.0], [0.1]]
    }
    assert not (tmp_path / "a.safetensors").exists()


def test_percentages_are_not_kept(tmp_path, capsys):
    data = load_reviews(DATA)
    assert kept_curves(tmp_path / "h.json", data, ("a",), 2, lambda condition, seed: [0.5, 97.5], "that") is None
    assert "between 0 and 1, not 97.5" in capsys.readouterr().out
    assert not (tmp_path / "h.json").exists()


def test_an_epoch_shows_the_mode_that_it_leaves_behind():
    table = torch.randn(5, 5, generator=torch.Generator().manual_seed(0))
    epoch = [(torch.tensor([[1, 2]]), torch.tensor([[2, 3]]))]
    for stays in (False, True):

        def train_epoch(model, optimizer, batches, loss_fn, clip, stays=stays):
            loss = transfer.train_epoch(model, optimizer, batches, loss_fn, clip)
            model.train(stays)
            return loss

        got = one_epoch(train_epoch, transfer.lm_loss, table, epoch, 0.1, 1.0, False)
        right = Bigram(got["table"]).eval()(epoch[0][0])
        assert torch.allclose(got["output"], right) != stays


def test_no_table_that_a_student_wrote_is_read(tmp_path):
    """Weights and answers are asked for; a history.json that says anything changes nothing."""

    class Files:
        asked: ClassVar[list[str]] = []

        def lines(self, name):
            self.asked.append(name)
            return ["1"] if name.endswith("txt") and name != "pieces.txt" else ["p0"] if name == "pieces.txt" else ["0"]

        def weights(self, name):
            self.asked.append(name)
            return {}

    assert "pretrained.safetensors" in transfer.handed_in(lambda: (Files(), Files()))
    assert not any("json" in name for name in Files.asked)


def test_weights_of_another_size_and_untrained_ones_are_named():
    c, n = Checker("accuracy_curves"), 34
    pieces, ids = [f"p{i}" for i in range(30)], [[5, 6, 7], [8]]
    with pytest.raises(CheckFailed, match="do not fit"):
        transfer.require_pretrained(c, transfer.TextModel(n, n, 32, 2, 1, 8, 0.1).state_dict(), pieces, ids)
    torch.manual_seed(0)
    with pytest.raises(CheckFailed, match="nats per token"):
        transfer.require_pretrained(c, transfer.TextModel(n, n, *SIZES).state_dict(), pieces, ids)
    model = transfer.TextModel(n, 2, *SIZES).eval()
    right = transfer.classify(model, ids)
    with pytest.raises(CheckFailed, match="forty labels"):
        transfer.require_finetuned(c, model.state_dict(), pieces, ids, [1 - a for a in right], ["0", "1"])
    with pytest.raises(CheckFailed, match="not what"):
        transfer.require_finetuned(c, model.state_dict(), pieces, ids, right, [str(1 - a) for a in right])
    transfer.require_finetuned(c, model.state_dict(), pieces, ids, right, [str(a) for a in right])


def test_an_untrained_model_is_as_surprised_as_chance():
    torch.manual_seed(1)
    model = transfer.TextModel(50, 50, *SIZES).eval()
    assert abs(transfer.token_loss(model, [[5, 6, 7, 8]] * 4) - math.log(50)) < 1.5


def test_saved_files_name_their_reviews(tmp_path):
    data = load_reviews(DATA)
    save(tmp_path / "net.safetensors", nn.Linear(2, 2), data)
    assert data.fingerprint.encode() in (tmp_path / "net.safetensors").read_bytes()[:2000]


@pytest.mark.skipif(not REAL.is_dir(), reason="REAL_DATA names no folder with altegrad/")
def test_real_reviews_load_through_the_same_code():
    data = load_reviews(REAL)
    assert (len(data.train), len(data.dev), len(data.pieces)) == (1600, 1000, 3000)
    assert data.unlabelled == data.train and data.test == []
    assert bag_of_words(data) > 0.7
