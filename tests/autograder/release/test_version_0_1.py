"""A release made by version 0.1 is graded by this tree, with the verdicts that version 0.1 gave.

``version_0_1.zip`` holds such a release (notebooks 01 and 08, seed 7, a world of 40 people). The expected verdicts were
recorded with version 0.1 itself, seed 3.
"""

from __future__ import annotations

import importlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.gradebook import judge
from autograder.intake.discover import Found
from autograder.judge import renamed
from autograder.release.read import Release, load_release
from course_utils.checks.compare import CheckFailed
from course_utils.checks.selfcheck import Checker
from solutions.reference import probes, transfer
from tests.paths import ROOT

RIGHT = {
    "01_attention": dict.fromkeys(
        ("attention", "copying", "projector", "averaging", "single_head", "single_head_noise", "multi_head",
         "no_projections", "qkv_design"), "passed"),
    "08_other_attentions": {
        "synthesizer": "passed", "parameter_keys": "passed", "lookup": "passed", "costs": "passed",
        "synthesizer_accuracy": "failed",  # its weights are not handed in
        "variants": "passed"},
}  # fmt: skip
WRONG = {
    "attention": "def attention(q, K, V):\n    s = V @ q\n    return s, s",
    "averaging": "def averaging_query(keys, a, b, beta):\n    return keys[a]",  # not the name that was asked for
}
# Every name that a check of version 0.1 imports from a module that has moved.
IMPORTED = {
    "course_utils.blocks_tools": ["load_canonical", "name_slip", "random_weights", "require_weights", "same"],
    "course_utils.by_hand_tools": ["jitter", "near", "number", "orthonormal", "parts"],
    "course_utils.compare": ["CheckFailed"],
    "course_utils.contract": ["first_violation", "through"],
    "course_utils.counting_tools": ["encoder_parts", "explicit_attention", "numel", "random_ids", "saved_bytes"],
    "course_utils.decode": ["answer_questions"],
    "course_utils.knowledge_tools": ["changed", "steps_of"],
    "course_utils.numbers_data": ["EOS", "PAD", "split_numbers"],
    "course_utils.pretraining_tools": ["FALSE_ALARM", "two_sided_p"],
    "course_utils.probes_data": ["CLS", "SEP", "TASKS", "answer_of", "encode", "senses"],
    "course_utils.selfcheck": ["StudentError"],
    "course_utils.transfer_probes": ["Shell", "one_epoch"],
    "course_utils.transfer_tools": ["EOS", "LONGEST", "PAD", "SOS", "UNK", "position_table"],
    "course_utils.variant_tools": ["random_weights"],
    "course_utils.world": ["ALPHABET", "generate"],
}
# The same for ``solutions.reference``: names that the checks of all eight notebooks of version 0.1 import or use.
REFERENCES = {
    "blocks": ["exact_match"],
    "by_hand": ["attention", "average_weight", "copying_beta", "gamma_weight", "self_attention"],
    "counting": ["VARIANTS", "gpt_numel"],
    "knowledge": [
        "NameDataset", "choose_threshold", "cloze", "effect", "exposure_curve", "mask_loss", "model_from_weights",
        "risk_coverage", "text_loss", "threshold",
    ],
    "lookup": ["LookupLayer", "lookup_tokens"],
    "perceiver": ["PerceiverAttention"],
    "positions": [
        "bias_count", "bias_matrix", "log_slope", "masked_outputs", "order_gap", "relative_attention", "score_terms",
        "sinusoid",
    ],
    "probes": ["CHOICES", "require_table", "require_two_tasks", "why_not"],
    "rope": ["rotary_angles"],
    "synthesizer": ["SynthesizerAttention", "synthesizer_flops", "vanilla_flops"],
    "transfer": [
        "encode", "lm_loss", "lm_output", "require_curves", "require_finetuned", "require_pretrained", "train_epoch",
    ],
    "variants": ["model_from_weights", "ropes", "threshold"],
}  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("old")
    with zipfile.ZipFile(Path(__file__).with_name("version_0_1.zip")) as archive:
        archive.extractall(folder)
    return load_release(folder / "release")


def solved(release: Release, name: str, wrong: dict[str, str]) -> dict[str, Any]:
    """The release's own solutions in its student notebook, some of them replaced by wrong ones."""
    source = json.loads((release.root / "instructor" / "source" / name / f"{name}.ipynb").read_text())
    texts = {cell["id"]: "".join(cell["source"]) for cell in source["cells"]}
    notebook = release.skeleton(name)
    for cell in notebook["cells"]:
        if cell["id"].startswith("answer-"):
            text = wrong.get(cell["id"].removeprefix("answer-"), texts[cell["id"]])
            cell["source"] = "\n".join(line for line in text.split("\n") if " SOLUTION" not in line)
    return notebook


def verdicts(release: Release, folder: Path, name: str, wrong: dict[str, str]) -> dict[str, str]:
    """Status by exercise."""
    (folder / "ada").mkdir()
    (folder / "ada" / f"{name}.ipynb").write_text(json.dumps(solved(release, name, wrong)))
    result = judge(release, Found("ada", folder / "ada"), name, folder / "dest", seed=3).result
    return {verdict.exercise: verdict.status for verdict in result.verdicts}


@pytest.mark.slow  # the quick test of wrong answers has seven right ones beside them
@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_keep_their_verdicts(release: Release, tmp_path: Path, name: str) -> None:
    assert verdicts(release, tmp_path, name, {}) == RIGHT[name]


def test_wrong_answers_keep_their_verdicts(release: Release, tmp_path: Path) -> None:
    found = verdicts(release, tmp_path, "01_attention", WRONG)
    assert found == RIGHT["01_attention"] | {"attention": "error", "averaging": "unsolved"}


def test_every_name_that_an_old_check_imports_is_found() -> None:
    renamed.install()
    for module, names in IMPORTED.items():
        place = importlib.import_module(module)
        assert all(getattr(place, name) is not None for name in names), module
    assert set(IMPORTED) <= set(renamed.RENAMED)
    with pytest.raises(ImportError):
        importlib.import_module("course_utils.never_was")


@pytest.mark.parametrize("module", REFERENCES)
def test_every_reference_that_an_old_check_asks_is_there(module: str) -> None:
    place = importlib.import_module(f"solutions.reference.{module}")
    assert [name for name in REFERENCES[module] if not hasattr(place, name)] == []


def test_old_checks_judge_files_as_before() -> None:
    """Handed-in runs without a gain, and weights that fit no model, are refused with a sentence; a gain that is shown is not."""
    low, high = ([[0.5 + step * n / 100, 0.6 + step * n / 100] for n in range(3)] for step in (1, 2))
    runs = {"from scratch": low, "pretrained": [[a + 0.3, b + 0.3] for a, b in high], "frozen base": high}
    transfer.require_curves(Checker("accuracy_curves"), {"curves": runs})
    refused = {"pretrained": low}, {"pretrained": high[:2]}, {"frozen base": [low[0]] * 3}
    for change, words in zip(refused, ("no gain", "at least three seeds", "was the seed used"), strict=True):
        with pytest.raises(CheckFailed, match=words):
            transfer.require_curves(Checker("accuracy_curves"), {"curves": runs | change})
    with pytest.raises(CheckFailed, match="weights"):
        probes.require_two_tasks(Checker("text_to_text"), {}, [])


def test_nothing_that_exists_is_replaced() -> None:
    renamed.install()
    for old in renamed.RENAMED:
        assert not (ROOT / "course_utils" / (old.split(".")[1] + ".py")).exists()
