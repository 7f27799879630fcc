"""The original assignment's data through the same code. It is not part of the project: REAL_DATA names a folder with cs224n/."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course_utils import cli
from course_utils.data import read_questions, read_wiki
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import london_baseline

FOLDER = Path(os.environ.get("REAL_DATA", "nowhere")) / "cs224n"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="REAL_DATA names no folder with cs224n/")


def test_sizes_are_those_that_were_counted_by_hand():
    wiki = read_wiki(FOLDER / "wiki.txt")
    assert len(wiki) == 2937 and all(wiki)
    assert len(Vocabulary.from_text((FOLDER / "wiki.txt").read_text(encoding="utf-8"))) == 256
    sizes = [
        len(read_questions(FOLDER / f"{name}.tsv")) for name in ("birth_places_train", "birth_dev", "birth_test_inputs")
    ]
    assert sizes == [2000, 500, 437]


def test_london_is_right_for_one_in_twenty():
    town, share = london_baseline(
        read_questions(FOLDER / "birth_places_train.tsv"), read_questions(FOLDER / "birth_dev.tsv")
    )
    assert town == "London" and f"{share:.1%}" == "5.0%"


def test_the_commands_of_the_handout_go_through(tmp_path, capsys):
    """Three steps each: the path is what is tested here, benchmarks/experiments/sweep.py --data says what accuracy is reached."""
    wiki, train, dev = (str(FOLDER / name) for name in ("wiki.txt", "birth_places_train.tsv", "birth_dev.tsv"))
    pre, fine, out = (str(tmp_path / name) for name in ("pre.safetensors", "fine.safetensors", "dev.predictions"))
    small = ["--profile", "handout", "--steps", "3"]
    assert cli.main(["pretrain", "vanilla", wiki, "--writing_params_path", pre, *small]) == 0
    finetune = ["finetune", "vanilla", wiki, "--reading_params_path", pre, "--writing_params_path", fine]
    assert cli.main([*finetune, "--finetune_corpus_path", train, *small]) == 0
    evaluate = ["evaluate", "vanilla", wiki, "--reading_params_path", fine, "--eval_corpus_path", dev]
    assert cli.main([*evaluate, "--outputs_path", out]) == 0
    assert "of 500" in capsys.readouterr().out
    assert len(Path(out).read_text(encoding="utf-8").splitlines()) == 500
