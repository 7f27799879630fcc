"""Runs on the original's files, on a generated folder of the same form: splits, continuation, record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import benchmarks.original.people as people_module
from benchmarks.original import run as run_module
from benchmarks.original.__main__ import main, read_record, summary
from benchmarks.original.people import by_expression, people
from benchmarks.original.picture import draw, spoken
from benchmarks.original.recall import WAYS, recalled
from benchmarks.original.recall import main as recall_command
from benchmarks.original.recipes import RECIPES, Recipe, changed
from benchmarks.original.run import Job, Pretraining, run
from course_utils.checkpoint import load_weights
from course_utils.config import ModelConfig
from course_utils.corpora.world import generate
from course_utils.errors import CourseError
from course_utils.vocab import MASK, Vocabulary

SMALL = changed(
    model={"block_size": 128, "n_layer": 1, "n_head": 2, "n_embd": 16},
    pretrain={"batch_size": 8},
    finetune={"epochs": 1},
    readings=4,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two splits of 12 trained and 4 asked people; the question mark is in no document, as with the original's first split."""
    monkeypatch.setattr(people_module, "TRAINED", 12)
    monkeypatch.setattr(people_module, "ASKED", 4)
    monkeypatch.setitem(RECIPES, "small", SMALL)
    world = generate("original")
    trained, asked = world.train[:24], world.dev[:8]
    documents = [next(d for d in world.wiki if people_module.person(q) in d) for q in [*trained, *asked]]
    lines = [f"{people_module.person(q)}. {d}" for q, d in zip([*trained, *asked], documents, strict=True)]
    (tmp_path / "wiki.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, questions in (("birth_places_train.tsv", trained), ("birth_dev.tsv", asked)):
        text = "".join(f"{q.text}\t{q.answer}\n" for q in questions)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_splits_hold_other_people_and_their_documents(folder: Path):
    first, second, whole = (people(folder, split) for split in ("0", "1", "whole"))
    assert [len(p.documents) for p in (first, second, whole)] == [16, 16, 32]
    assert not set(first.documents) & set(second.documents)
    for p in (first, second, whole):
        for q, document in zip([*p.trained, *p.asked], p.documents, strict=True):
            assert document.startswith(people_module.person(q)) and str(q.answer) in document
    assert "?" not in "".join(first.documents) and "?" in first.task().vocab.stoi


def test_a_corpus_in_another_order_is_refused(folder: Path):
    lines = (folder / "wiki.txt").read_text(encoding="utf-8").splitlines()
    (folder / "wiki.txt").write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    with pytest.raises(CourseError, match="no document of"):
        people(folder, "0")


def test_an_unknown_split_and_an_unknown_recipe_are_named(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(folder), "--only", "small", "--split", "2"]) == 2
    assert main([str(folder), "--only", "none such"]) == 2
    error = capsys.readouterr().err
    assert "no split '2'" in error and "no recipe 'none such'" in error


def test_the_expression_reads_the_town_and_not_the_year(folder: Path):
    p = people(folder, "whole")
    changed_documents = [
        d.replace(str(q.answer), "in Nowhere") for q, d in zip(p.trained + p.asked, p.documents, strict=True)
    ]
    assert by_expression(replace(p, documents=changed_documents)) == 0
    told = [f"{people_module.person(q)} was born in 1901 in {q.answer}, and died." for q in [*p.trained, *p.asked]]
    assert by_expression(replace(p, documents=told)) == len(p.asked)


def test_short_blocks_come_first_and_copies_make_longer_epochs(folder: Path, tmp_path: Path):
    p = people(folder, "0")
    recipe: Recipe = replace(SMALL, readings=8, copies=2, short=0.5, short_block=16)
    watch = Pretraining(recipe, p, p.task().vocab, 0, 0, tmp_path / "aside.json")
    epochs = [next(source) for source in [watch.source()] for _ in range(4)]
    assert [tuple(x.shape) for x, _ in epochs] == [(32, 16), (32, 16), (32, 128), (32, 128)]
    assert not epochs[2][0].equal(epochs[3][0])


def test_a_recipe_of_beginnings_keeps_what_it_says(folder: Path, tmp_path: Path):
    p = people(folder, "0")
    recipe: Recipe = replace(SMALL, readings=1, kept=(20, 24))
    vocab = p.task().vocab
    x, _ = next(Pretraining(recipe, p, vocab, 0, 0, tmp_path / "aside.json").source())
    kept = (x != vocab.pad_id).sum(1) - 2  # without the two MASKs
    assert [
        min(20, len(text)) <= n <= min(24, len(text)) for n, text in zip(kept.tolist(), p.documents, strict=True)
    ] == [True] * len(p.documents)


def test_an_interrupted_run_ends_as_one_that_was_not(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    p, job = people(folder, "0"), Job("small", "0", 3, 4, points=3)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = run(job, p, tmp_path / "a")
    calls = []
    plain = run_module.Pretraining.evaluate

    def stopped_after_two(self: Pretraining, model: object) -> float:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return plain(self, model)  # type: ignore[arg-type]

    monkeypatch.setattr("course_utils.engine.resume.KEEP_EVERY", 0.0)
    monkeypatch.setattr(run_module.Pretraining, "evaluate", stopped_after_two)
    with pytest.raises(KeyboardInterrupt):
        run(job, p, tmp_path / "b")
    resumed = run(job, p, tmp_path / "b")
    assert resumed.loss == whole.loss and resumed.right == whole.right
    assert [point.right for point in resumed.curve] == [point.right for point in whole.curve]
    assert [point.readings for point in resumed.curve] == [1, 2, 3] and resumed.seconds > 0


def test_recipes_that_take_over_a_pretraining_change_nothing_but_the_finetuning():
    takers = [one for one in RECIPES.values() if one.weights_of]
    assert takers
    for one in takers:
        source = RECIPES[one.weights_of]
        assert one.finetune != source.finetune and replace(one, finetune=source.finetune, weights_of="") == source


def test_another_finetuning_takes_over_a_pretraining(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    p = people(folder, "0")
    first = run(Job("small", "0", 3, 2, points=1), p, tmp_path)
    other = replace(SMALL, weights_of="small", finetune=replace(SMALL.finetune, lr=SMALL.finetune.lr / 3))
    monkeypatch.setitem(RECIPES, "small, slowly", other)
    monkeypatch.setattr(run_module.Pretraining, "source", None)  # a second pretraining would fail
    with pytest.raises(CourseError, match="run --only 'small' with the same seed"):
        run(Job("small, slowly", "0", 4, 2, points=1), p, tmp_path)
    second = run(Job("small, slowly", "0", 3, 2, points=1), p, tmp_path)
    assert (second.loss, second.seconds) == (first.loss, first.seconds) and first.curve and not second.curve
    assert second.key != first.key


class Reciter(nn.Module):
    """Continues every beginning of a document as the document goes on, and anything else with MASK."""

    def __init__(self, documents: list[str], vocab: Vocabulary) -> None:
        super().__init__()
        self.texts, self.vocab, self.config = documents, vocab, ModelConfig(block_size=1000)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, t) -> (B, t, V), right in their last place alone."""
        logits = torch.zeros(*ids.shape, len(self.vocab))
        for row, text in zip(logits, map(self.vocab.decode, ids.tolist()), strict=True):
            after = next((one[len(text)] for one in self.texts if one.startswith(text) and len(one) > len(text)), MASK)
            row[-1, self.vocab.encode(after)[0]] = 1.0
        return self.scale * logits


def test_memory_is_told_from_recall(folder: Path, capsys: pytest.CaptureFixture[str]):
    p = people(folder, "0")
    vocab = p.task().vocab
    asked, right = recalled(Reciter(p.documents, vocab), vocab, p, 200)
    found = [q.answer in d[:200] for q, d in zip([*p.trained, *p.asked], p.documents, strict=True)]
    assert asked == sum(found) > 0 and set(right) == set(WAYS)
    assert right["its document, up to the town"] == asked and right["its document, the town masked"] == 0
    assert recall_command([str(folder), "no_such.safetensors"]) == 2 and "no weights file" in capsys.readouterr().err


def test_finished_runs_are_in_the_record_and_are_not_made_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    record = tmp_path / "record.json"
    command = [str(folder), "--only", "small", "--record", str(record), "--aside", str(tmp_path / "aside"), "--crossed"]
    assert main([*command, "--seeds", "0"]) == 0
    monkeypatch.setattr("benchmarks.original.__main__.run", None)  # a second run would fail
    assert main([*command, "--seeds", "0"]) == 0
    (done,) = read_record(record)
    assert done.people == 4 and done.crossed is not None and 0 <= done.crossed <= 16
    assert len(list((tmp_path / "aside").glob("*.safetensors"))) == 1
    assert record.with_suffix(".png").stat().st_size > 5_000
    assert "one seed" in summary([done]) and "small" in capsys.readouterr().out
    text = json.loads(record.read_text(encoding="utf-8"))
    assert text["recipes"]["small"]["model"]["n_embd"] == 16
    assert not any(q.text in record.read_text(encoding="utf-8") for q in people(folder, "0").asked)


def test_a_recipe_for_all_people_is_chosen_without_dev(folder: Path):
    whole, choice = people(folder, "whole"), people(folder, "choice")
    assert choice.documents == whole.documents and [*choice.trained, *choice.asked] == whole.trained
    assert len(choice.asked) == 6 and not set(choice.asked) & set(whole.asked)


def test_another_attention_is_one_word_of_a_recipe(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(RECIPES, "small, rope", changed(SMALL, model={"attention": "rope"}))
    done = run(Job("small, rope", "0", 0, 2, points=1, scratch=False), people(folder, "0"), tmp_path)
    assert done.scratch is None and done.right >= 0
    (weights,) = tmp_path.glob("*.safetensors")
    assert "position.weight" not in load_weights(weights)[0]
    assert draw([done], tmp_path / "figure.png").exists() and "without pretraining" not in spoken([done])
