"""What only notebook 07 needs: its facts, the judge's helpers, and the results it ships."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from autograder.source.build import differences, source_notebook, student_notebook
from autograder.source.lint import lint
from autograder.source.percent import read_source
from benchmarks.experiments import why_controls
from course_utils.config import PROFILES, ModelConfig, TrainConfig
from course_utils.corpora.world import ALPHABET, generate
from course_utils.data import Question
from course_utils.engine.history import History
from course_utils.errors import CourseError
from course_utils.lessons.knowledge import changed, plain_text, ready_made, steps_of, trained, verdicts
from course_utils.model import GPT
from course_utils.notebook.session import Course
from course_utils.vocab import MASK, PAD, Vocabulary
from solutions.reference import knowledge
from tests.paths import ROOT

VOCAB = Vocabulary.from_text(ALPHABET)
TINY = ModelConfig(vocab_size=len(VOCAB), block_size=64, n_layer=1, n_head=2, n_embd=32)


@pytest.fixture(scope="module")
def source():
    return read_source(ROOT / "solutions" / "07_knowledge.py")


# ------------------------------------------------------------------------------------------------------ the notebook


def test_a_clean_source(source):
    assert lint([source]) == []


def test_the_student_version_is_the_solution_minus_answers(source):
    full = source_notebook(source)
    assert differences(full, student_notebook(source, copy.deepcopy(full))) == []


def test_every_checked_exercise_has_a_ladder_of_three_hints(source):
    ladders = [cell.text.count("<details><summary>Hint") for cell in source.cells if cell.role == "prose"]
    checked = [cell for cell in source.cells if cell.role == "check"]
    assert [n for n in ladders if n] == [3] * len(checked)


def test_every_checked_exercise_has_four_wrong_and_three_right_answers(source):
    folder = ROOT / "tests" / "misconceptions" / source.name
    for exercise in {cell.exercise for cell in source.cells if cell.role == "check"}:
        heads = [path.read_text().splitlines()[0] for path in (folder / exercise).glob("*.py")]
        assert heads.count("# expect: reject") >= 4 and heads.count("# expect: accept") >= 3


def test_the_numbers_of_the_boxes():
    assert f"{2937 / 2000 - 1:.0%}" == "47%" and f"{2000 / 2937:.0%}" == "68%"
    mean, low, high, verdict = knowledge.effect([0.98, 0.97, 0.99], [0.90, 0.70, 0.80])
    assert (round(100 * mean), round(100 * low), round(100 * high), verdict) == (18, -6, 42, "not shown")
    rows = knowledge.risk_coverage([-0.1, -0.3, -0.3, -2.0], [True, True, False, False])
    assert rows == [(-0.1, 0.25, 0.0), (-0.3, 0.75, pytest.approx(1 / 3)), (-2.0, 1.0, 0.5)]


def test_the_alphabet_is_the_vocabulary_of_every_world():
    for seed in range(5):
        assert Vocabulary.from_text("\n".join(generate(seed).wiki) + "\n") == VOCAB


# ----------------------------------------------------------------------------------------------------- the reference


def test_name_data_has_the_example_of_the_text():
    vocab = Vocabulary.from_text("Who?It")
    x, y = knowledge.NameDataset([Question("Who?", "It")], vocab, 10)[0]
    assert vocab.decode(x.tolist()) == f"Who?{MASK}It{MASK}{PAD}{PAD}"
    assert vocab.decode(y.tolist()) == f"{PAD * 4}It{MASK}{PAD * 3}"


def test_name_data_complains_in_words():
    data = knowledge.NameDataset([Question("Who?"), Question("Who?", "It")], Vocabulary.from_text("Who?It"), 6)
    with pytest.raises(CourseError, match="no answer"):
        data[0]
    with pytest.raises(CourseError, match="raise block_size"):
        data[1]


def test_the_baseline_on_a_hand_made_set():
    towns = [Question("Where?", town) for town in ("Oslo", "Rome", "Oslo")]
    assert knowledge.london_baseline(towns, [*towns, Question("Where?", "Kiel")]) == ("Oslo", 0.5)


def test_a_threshold_that_nothing_reaches_answers_nothing():
    assert knowledge.choose_threshold([-1.0, -2.0], [False, False], 0.5) == math.inf
    assert knowledge.choose_threshold([-1.0, -2.0], [False, True], 0.5) == -2.0


# -------------------------------------------------------------------------------------------- what the judge looks at


def test_a_model_is_rebuilt_from_its_weights_alone():
    torch.manual_seed(3)
    model = GPT(PROFILES["laptop"].model_for(len(VOCAB))).eval()
    twin = knowledge.model_from_weights(model.state_dict(), len(VOCAB))
    ids = torch.randint(0, len(VOCAB), (2, 30))
    assert torch.equal(model(ids), twin(ids)) and twin.config == model.config


@pytest.mark.parametrize(
    "spoil,words",
    [
        (lambda w: w.pop("token.weight"), "no GPT"),
        (lambda w: w.update({"token.weight": w["token.weight"][:-1]}), "characters"),
        (lambda w: w.update({"token.weight": w["token.weight"][:, :-2]}), "size of no profile"),
        (lambda w: w.pop("norm.weight"), "another architecture"),
        (lambda w: w.update({"norm.weight": w["norm.weight"][:-1]}), "another architecture"),
    ],
)
def test_weights_of_something_else_give_a_sentence(spoil, words):
    weights = GPT(PROFILES["laptop"].model_for(len(VOCAB))).state_dict()
    weights = dict(weights)
    spoil(weights)
    with pytest.raises(CourseError, match=words):
        knowledge.model_from_weights(weights, len(VOCAB))


def test_an_untrained_model_knows_nothing_and_expects_no_mask():
    world = generate(3, n_people=90, n_never=0)
    torch.manual_seed(0)
    model = GPT(TINY).eval()
    assert knowledge.cloze(model, world.test, VOCAB) < 0.3
    assert knowledge.mask_loss(model, world.wiki, VOCAB) > knowledge.threshold("pretrained_mask_loss")
    assert knowledge.text_loss(model, world.wiki, VOCAB) == pytest.approx(math.log(len(VOCAB)), abs=0.5)


def test_thresholds_are_there():
    assert 0.5 <= knowledge.threshold("finetuned_test_accuracy") <= 1
    assert 0 < knowledge.threshold("pretrained_cloze") <= 1


# ----------------------------------------------------------------------------------------------------------- helpers


def course(folder: Path) -> Course:
    return Course("07_knowledge", folder, folder, PROFILES["laptop"], torch.device("cpu"))


def test_a_training_is_kept_loaded_and_redone_on_request(tmp_path, capsys):
    made = []

    def train_fn(model):
        made.append(1)
        with torch.no_grad():
            model.head.weight += 1
        return History(loss=[2.0, 1.0], seconds=3.0)

    first, history = trained(course(tmp_path), "demo", VOCAB, lambda: GPT(TINY), train_fn)
    second, again = trained(course(tmp_path), "demo", VOCAB, lambda: GPT(TINY), train_fn)
    assert len(made) == 1 and again == history and "loaded from demo.safetensors" in capsys.readouterr().out
    assert torch.equal(first.head.weight, second.head.weight)
    trained(course(tmp_path), "demo", VOCAB, lambda: GPT(TINY), train_fn, again=True)
    assert len(made) == 2


@pytest.mark.parametrize("error", [NotImplementedError(), CourseError("no such file."), ZeroDivisionError("by zero")])
def test_a_training_that_cannot_be_done_says_so_and_goes_on(error, tmp_path, capsys):
    def train_fn(model):
        raise error

    assert trained(course(tmp_path), "demo", VOCAB, lambda: GPT(TINY), train_fn, needs="london") == (None, History())
    assert "demo" in capsys.readouterr().out and not list(tmp_path.glob("*.safetensors"))


def test_nothing_is_trained_while_grading(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_GRADING", "1")
    model, _ = trained(course(tmp_path), "demo", VOCAB, lambda: GPT(TINY), lambda m: pytest.fail("trained"))
    assert model is None and "not handed in" in capsys.readouterr().out


def test_plain_text_is_shifted_by_one_and_padded():
    vocab = Vocabulary.from_text("ab\n")
    ((X, Y),) = plain_text(["ab", "aaaaaaaaaa"], vocab, 6, 1)
    assert vocab.decode(X[0].tolist()) == f"\nab\n{PAD}{PAD}" and vocab.decode(Y[0].tolist()) == f"ab\n{PAD * 3}"
    assert torch.equal(X[:, 1:], Y[:, :-1])
    with pytest.raises(CourseError, match="line end"):
        plain_text(["ab"], Vocabulary.from_text("ab"), 6, 1)


def test_weights_are_compared_by_name_shape_and_value():
    a = {"w": torch.zeros(3)}
    assert not changed(a, {"w": torch.full((3,), 1e-7)}, 1e-6)
    assert changed(a, {"w": torch.full((3,), 1e-5)}, 1e-6)
    assert changed(a, {"v": torch.zeros(3)}) and changed(a, {"w": torch.zeros(2)})


def test_steps_of_a_history_and_of_nothing():
    assert steps_of(History(loss=[1.0] * 5)) == 5
    assert steps_of(None) is None and steps_of(3.0) is None


def test_ready_made_results_may_be_missing_but_not_broken(tmp_path, capsys):
    assert ready_made(tmp_path, "results.json") is None and "go on without" in capsys.readouterr().out
    (tmp_path / "results.json").write_text("{")
    with pytest.raises(CourseError, match="not valid JSON"):
        ready_made(tmp_path, "results.json")


def test_verdicts_name_what_nobody_knows():
    table = verdicts([Question("Where?", "Oslo"), Question("Who?")], ["Rome", "Bonn"], [-0.1, -2.0])
    assert "Oslo" in table and "nobody knows" in table and "-2.000" in table


# ------------------------------------------------------------------------------------------------- results it ships


def tiny_profile():
    short = TrainConfig(batch_size=32, epochs=1, lr=1e-3)
    steps = TrainConfig(batch_size=32, steps=2, lr=1e-3)
    return replace(PROFILES["laptop"], model=replace(TINY, vocab_size=0), pretrain=steps, finetune=short, scratch=short)


def test_controls_have_one_change_each_and_the_form_the_notebook_reads(tmp_path, monkeypatch):
    monkeypatch.setattr(why_controls, "PROFILES", {"laptop": tiny_profile()})
    seeds = (1, 2)
    kinds = [
        *why_controls.controls(1),
        *why_controls.exposures(1),
        *why_controls.controls(2),
        *why_controls.exposures(2),
    ]
    read = {reading.name: why_controls.both(reading, tmp_path)[1] for reading in kinds}
    assert len(read) == 16
    others = {}
    for seed in seeds:
        others[f"{seed} {why_controls.SCRATCH}"] = why_controls.finetune(seed, None, tmp_path)
        others[f"{seed} {why_controls.OTHER}"] = why_controls.finetune(seed, why_controls.Reading(3 - seed), tmp_path)
    found = json.loads(json.dumps(why_controls.report(seeds, read, others)))
    assert set(found["controls"]) == {
        *("no pretraining", "another world's wiki", "same towns, other people"),
        *("own wiki, nothing masked", "own wiki, span corruption"),
    }
    assert all(set(runs) == {"1", "2"} for runs in found["controls"].values())
    assert [row[0] for row in knowledge.exposure_curve(found["exposure"]["documents"], "documents")] == [1, 2, 4, 8]
    assert [row[0] for row in knowledge.exposure_curve(found["exposure"]["phrasings"], "phrasings")] == [1, 2, 4]
    assert set(found["trust"]) == {"1", "2"}
    assert all(len(run[key]) == 50 for run in found["trust"].values() for key in ("confidences", "correct", "invented"))
    (tmp_path / f"{why_controls.Reading(1).name}.safetensors").unlink()
    again = why_controls.both(why_controls.Reading(1), tmp_path)[1]
    assert again == read[why_controls.Reading(1).name]  # kept, not trained again
    assert not (tmp_path / f"{why_controls.Reading(1).name}.safetensors").is_file()
    assert why_controls.kept(seeds, tmp_path) == (read, others)
    why_controls.result(2, why_controls.Reading(2, strangers=True), tmp_path).unlink()
    why_controls.result(1, None, tmp_path).unlink()
    part = why_controls.report(seeds, *why_controls.kept(seeds, tmp_path))["controls"]
    assert set(part[why_controls.PEOPLE]) == {"1"} and set(part[why_controls.SCRATCH]) == {"2"}
    assert set(part[why_controls.MASKED]) == {"1", "2"}


def test_forms_of_a_world_share_people_and_towns():
    worlds = [reading.world() for reading in (*why_controls.controls(4), *why_controls.exposures(4))]
    assert all(world.people == worlds[0].people for world in worlds)
    assert sorted({len(world.wiki) for world in worlds}) == [300, 600, 1200, 2400]


def test_plain_epochs_hide_nothing():
    X, Y = next(why_controls.plain_epochs(["Ada", "Ben"], 6))
    assert VOCAB.decode(X[0].tolist()) == f"Ada{PAD * 3}" and VOCAB.decode(Y[0].tolist()) == f"da{PAD * 4}"


def test_shipped_results_if_any_are_what_the_notebook_reads():
    path = ROOT / "data" / "measured" / "why_controls.json"
    if not path.is_file():
        pytest.skip(
            "data/measured/why_controls.json is made by benchmarks/experiments/why_controls.py and not here yet"
        )
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {"controls", "exposure", "curves", "trust", "about"} <= set(found)
    for runs in found["controls"].values():
        assert len(runs) >= 2 and all(0 <= value <= 1 for value in runs.values())
