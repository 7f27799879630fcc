"""The character vocabulary: ids, round trips and errors."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_utils.errors import CourseError
from course_utils.vocab import MASK, PAD, Vocabulary

ordinary = st.text(st.characters(exclude_characters=PAD + MASK, exclude_categories=("Cs",)), min_size=1)


def test_special_characters_come_first_then_the_sorted_rest():
    vocab = Vocabulary.from_text("baa\nc")
    assert vocab.itos == (PAD, MASK, "\n", "a", "b", "c")
    assert (PAD, MASK) == ("□", "⁇")
    assert (vocab.pad_id, vocab.mask_id, len(vocab)) == (0, 1, 6)
    assert vocab.stoi == {c: i for i, c in enumerate(vocab.itos)}


@given(ordinary)
def test_encode_and_decode_are_inverse(text):
    vocab = Vocabulary.from_text(text)
    assert vocab.decode(vocab.encode(PAD + text + MASK)) == PAD + text + MASK
    assert vocab.decode(torch.tensor(vocab.encode(text))) == text


@given(ordinary)
def test_a_saved_vocabulary_comes_back_equal(text):
    vocab = Vocabulary.from_text(text)
    assert Vocabulary.from_json(vocab.to_json()) == vocab


def test_order_and_frequency_of_characters_do_not_matter():
    assert Vocabulary.from_text("hello") == Vocabulary.from_text("oleh") != Vocabulary.from_text("help")


def test_an_unknown_character_is_named_with_its_place():
    with pytest.raises(CourseError, match=r"'é' \(U\+00E9, position 3 of 'Zoé\?b'\)"):
        Vocabulary.from_text("Zoab").encode("Zoé?b")
    vocab = Vocabulary.from_text("Zoab")
    assert vocab.decode(vocab.encode("Zoé?b", unknown="drop")) == "Zob"


def test_positions_count_from_one():
    with pytest.raises(CourseError, match="position 1 of"):
        Vocabulary.from_text("a").encode("xa")


@pytest.mark.parametrize("ids", [[6], [-1], [0, 99]])
def test_an_id_outside_the_vocabulary_is_refused(ids):
    with pytest.raises(CourseError, match="ids are 0 to 5"):
        Vocabulary.from_text("abcd").decode(ids)


@pytest.mark.parametrize("special", [PAD, MASK])
def test_reserved_characters_in_the_text_are_refused(special):
    with pytest.raises(CourseError, match="Line 2 "):
        Vocabulary.from_text(f"fine\nnot {special}\nfine")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"characters": 3}', '{"characters": "aa"}', '{"characters'])
def test_damaged_states_are_refused(text):
    with pytest.raises(CourseError):
        Vocabulary.from_json(text)


def test_entries_must_start_with_the_special_characters():
    with pytest.raises(CourseError):
        Vocabulary(("a", "b"))


def test_real_corpus_gives_256_entries():
    folder = os.environ.get("REAL_DATA")
    if not folder:
        pytest.skip("REAL_DATA names no folder with cs224n/wiki.txt")
    text = (Path(folder) / "cs224n" / "wiki.txt").read_text(encoding="utf-8")
    assert len(Vocabulary.from_text(text)) == 256
