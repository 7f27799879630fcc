"""The curve of labels against accuracy on reviews, in small: resumable, paired, judged without the labels of dev."""

import json

import pytest
import torch

from benchmarks.experiments import french_reviews as room
from benchmarks.experiments.french_reviews import CONDITIONS, Experiment, Pooled, Settings, drawn, main, settings_from
from benchmarks.experiments.french_reviews_figure import summary
from course_utils.corpora import reviews
from course_utils.errors import CourseError
from solutions.reference import transfer

SMALL = ["longest=12", "width=16", "pretrain_epochs=1", "finetune_steps=3", "batch=4", "pieces=60"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Generated reviews in the form of the French ones: no unlabelled and no test reviews."""
    path = tmp_path_factory.mktemp("reviews")
    reviews.generate("french", n_train=24, n_dev=10, n_test=1, n_unlabelled=1).write(path, hidden=path / "hidden")
    for name in ("unlabelled.review.spm", "test.review.spm"):
        (path / name).unlink()
    return path


def call(folder, out, *more, seeds=2):
    fixed = ["--labels", "4", "24", "--set", *SMALL, "--kept", str(out.parent / "kept")]
    return main([str(folder), "--seeds", str(seeds), "--out", str(out), *fixed, *more])


def test_a_small_run_is_recorded_drawn_and_resumed(folder, tmp_path, monkeypatch, capsys):
    out = tmp_path / "record.json"
    assert call(folder, out, seeds=1) == 0
    first = json.loads(out.read_text())
    made = []
    monkeypatch.setattr(room.Experiment, "run", (lambda run: lambda *a: made.append(a[1:]) or run(*a))(Experiment.run))
    monkeypatch.setattr(room.Experiment, "_pretrain", lambda *a: pytest.fail("the weights are kept"))
    assert call(folder, out) == 0
    record = json.loads(out.read_text())
    assert sorted(made) == sorted((condition, n, 1) for condition in CONDITIONS for n in (4, 24))
    for n in ("4", "24"):
        assert set(record["runs"][n]) == set(CONDITIONS)
        for condition in CONDITIONS:
            assert record["runs"][n][condition]["0"] == first["runs"][n][condition]["0"]
            assert all(0 <= run["accuracy"] <= 1 for run in record["runs"][n][condition].values())
    assert record["machine"]["date"] and record["settings"]["width"] == 16 and record["texts"]["dev"] == 10
    assert 0 < out.with_suffix(".png").stat().st_size < 150_000
    assert "pretrained minus from scratch" in capsys.readouterr().out
    assert main([str(folder), "--out", str(out), "--set", "width=8"]) == 2
    assert "is of other settings or texts" in capsys.readouterr().err


def test_differences_are_paired_by_seed():
    runs = {"50": {condition: {} for condition in CONDITIONS}}
    runs["50"]["pretrained"] = {"0": {"accuracy": 0.5}, "1": {"accuracy": 0.9}, "2": {"accuracy": 0.1}}
    runs["50"]["from scratch"] = {"1": {"accuracy": 0.8}, "0": {"accuracy": 0.4}}
    told = summary(runs)["50"]
    assert told["pretrained minus from scratch"] == pytest.approx([0.1, 0.1, 0.1])
    assert told["pretrained"][0] == pytest.approx(0.5) and told["pretrained"][1] < 0.1 < told["pretrained"][2]
    assert "bag of words" not in told, "no interval without runs"


def test_labels_of_dev_change_no_model_and_its_texts_only_the_transductive_one(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for path in folder.glob("*.*"):
        (other / path.name).write_bytes(path.read_bytes())
    (other / "dev.label").write_text("1\n" * 10)
    settings = settings_from(SMALL)
    one, two = (Experiment(place, settings, 0, tmp_path / place.name) for place in (folder, other))
    for read in ("train", "train and dev"):
        a, b = one.pretrained(read).state_dict(), two.pretrained(read).state_dict()
        assert all(torch.equal(a[name], b[name]) for name in a)
    assert one._of_pretraining("train") != one._of_pretraining("train and dev")
    assert len(one.unlabelled["train"]) == 24 and len(one.unlabelled["train and dev"]) == 34


def test_held_out_reviews_give_no_label_and_are_judged(folder, tmp_path):
    experiment = Experiment(folder, settings_from(SMALL), 6, tmp_path)
    whole = Experiment(folder, settings_from(SMALL), 0, tmp_path)
    assert sorted(experiment.data.train + experiment.data.dev) == sorted(whole.data.train)
    of = dict(zip(whole.data.train, whole.data.train_labels, strict=True))
    assert experiment.data.dev_labels == [of[text] for text in experiment.data.dev]
    assert experiment.data.train_labels == [of[text] for text in experiment.data.train]
    assert sorted(experiment.data.dev_labels) == [0, 0, 0, 1, 1, 1], "half of either side, wherever they stand"
    with pytest.raises(CourseError, match="24 of 24 training reviews cannot be held out"):
        Experiment(folder, settings_from(SMALL), 24, tmp_path)


def test_a_seed_draws_half_of_either_side():
    labels = [0] * 10 + [1] * 10
    chosen = drawn(labels, 8, 3)
    assert chosen == drawn(labels, 8, 3) != drawn(labels, 8, 4)
    assert sum(labels[i] for i in chosen) == 4 and len(set(chosen)) == 8
    assert drawn(labels, 20, 1) == list(range(20))
    with pytest.raises(CourseError, match="7 labels cannot be drawn"):
        drawn(labels, 7, 0)


def test_padding_does_not_change_the_verdict():
    torch.manual_seed(0)
    model = Pooled(transfer.TextModel(20, 2, 8, 2, 1, 16, 0.1)).eval()
    short, long = [5, 6, 7], [8, 9, 10, 11, 12, 13]
    alone, together = transfer.lm_batch([short])[0], transfer.lm_batch([short, long])[0]
    assert torch.allclose(model(alone)[0], model(together)[0], atol=1e-6)


@pytest.mark.parametrize("change", ["wide=3", "width=x", "width"])
def test_a_setting_that_is_none_is_told(change):
    with pytest.raises(CourseError, match=r"is not NAME=NUMBER with one of: pieces"):
        settings_from([change])
    assert settings_from(["base_rate=1e-4"]) == Settings(base_rate=1e-4)


def test_few_labels_are_passed_many_times_and_many_labels_some_times():
    settings = Settings(finetune_steps=100, finetune_epochs=3, batch=16)
    assert [settings.steps(n) for n in (50, 400, 1600)] == [100, 100, 300]
