"""The book reviews: the same bytes everywhere, synonyms that stand together, files that read back, errors in one line."""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import sha256

import pytest

from course_utils.corpora import reviews
from course_utils.errors import CourseError
from tests.paths import ROOT

SPLITS = ("train", "dev", "test", "unlabelled")


@cache
def made(seed=1, n_unlabelled=1500):
    return reviews.generate(seed, n_unlabelled=n_unlabelled)


def digest(corpus):
    rows = [f"{r.label} {r.text}" for name in SPLITS for r in getattr(corpus, name)]
    return sha256("\n".join(rows).encode()).hexdigest()


def test_the_same_bytes_everywhere():
    small = reviews.generate("autumn", n_train=40, n_dev=30, n_test=30, n_unlabelled=100)
    assert digest(small) == "dffd962381dc802249b3edeccd4a71b9474b6b16421fb7a7cdcd541f5fb97cb3"


def test_hash_randomisation_changes_nothing():
    code = "from course_utils.corpora.reviews import generate as g; print(g(1, n_dev=5, n_test=5, n_unlabelled=5))"
    outs = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": h}, capture_output=True, check=True
        )
        for h in "12"
    ]
    assert outs[0].stdout == outs[1].stdout != b""


def test_shipped_files_are_those_of_seed_1_and_their_manifest_agrees(tmp_path):
    reviews.generate(1).write(tmp_path)
    shipped = ROOT / "data" / "reviews"
    assert {p.name for p in shipped.iterdir()} == {p.name for p in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (shipped / path.name).read_bytes(), path.name
    listed = json.loads((shipped / "manifest.json").read_text(encoding="utf-8"))
    for name, entry in listed["files"].items():
        assert sha256((shipped / name).read_bytes()).hexdigest() == entry["sha256"]
    assert sum(p.stat().st_size for p in shipped.iterdir()) < 2_000_000


def test_labels_are_balanced_and_never_in_the_students_files(tmp_path):
    corpus = made()
    assert [sum(r.label for r in getattr(corpus, s)) for s in ("train", "dev", "test")] == [20, 200, 200]
    corpus.write(tmp_path / "student", hidden=tmp_path / "hidden")
    assert not (tmp_path / "student" / "test.label").exists()
    assert [int(x) for x in (tmp_path / "hidden" / "test.label").read_text().split()] == [r.label for r in corpus.test]
    pieces = (tmp_path / "hidden" / "pieces.txt").read_text(encoding="utf-8").split("\n")[:-1]
    texts = [r.text for r in (*corpus.train, *corpus.unlabelled)]
    assert pieces == reviews.read_pieces(tmp_path / "student", texts)


def test_words_are_all_different_and_sides_cannot_be_told_from_letters():
    words = made().words
    every = (*words.against, *words.in_favour, *words.authors, *words.places)
    assert len(set(every)) == len(every) == 190
    lengths = [sum(map(len, side)) / 60 for side in (words.against, words.in_favour)]
    assert abs(lengths[0] - lengths[1]) < 0.25


def sides(corpus):
    """Side (0 or 1) of each adjective, as a piece."""
    named = (corpus.words.against, corpus.words.in_favour)
    return {reviews.MARK + word: side for side, names in enumerate(named) for word in names}


def test_adjectives_that_stand_together_are_of_one_side():
    side, pairs = sides(made()), 0
    for review in made().unlabelled:
        pieces = review.text.split()
        for left, link, right in zip(pieces, pieces[1:], pieces[2:], strict=False):
            if link in ("▁and", "▁or") and left in side and right in side:
                pairs += 1
                assert side[left] == side[right], review.text
    assert pairs > 1500


def claims(pieces, side):
    """What each adjective of a text claims for the book: its side, or the other one where the words before turn it round."""
    found, turned = [], False
    for k, piece in enumerate(pieces):
        before = pieces[k - 1] if k else ""
        if piece not in side:
            turned = turned and piece == "▁or"
            continue
        if before != "▁or":
            turned = before in ("▁not", "▁from", "▁less") or pieces[max(0, k - 2) : k] == ["▁anything", "▁but"]
        found.append(side[piece] != turned)
    return found


def test_the_verdict_is_always_of_the_reviews_own_side():
    side = sides(made())
    for review in made().unlabelled:
        pieces = review.text.split()
        after = min(pieces.index(p) for p in ("▁all", "▁short", "▁verdict") if p in pieces)
        verdict = pieces[after : pieces.index(".", after)]
        assert set(claims(verdict, side)) == {review.label == 1}, review.text


def test_all_that_one_phrase_claims_is_of_one_side():
    dice, words, side = reviews.Dice("phrases"), made().words, sides(made())
    for k in range(3000):
        pieces = [word if word == "," else reviews.MARK + word for word in reviews._phrase(dice, words, k % 2).split()]
        assert set(claims(pieces, side)) == {k % 2 == 1}, pieces


def test_order_tells_what_the_sum_of_the_words_does_not():
    """Whoever knows every word's side judges by the order nearly always rightly, by the sum in four of five reviews at most."""
    corpus, right = made(), {"sum": 0.0, "order": 0.0}
    side, rows = sides(corpus), (*corpus.dev, *corpus.test, *corpus.unlabelled)
    for review in rows:
        pieces = review.text.split()
        votes = {"sum": [side[p] for p in pieces if p in side], "order": claims(pieces, side)}
        for way, said in votes.items():
            lead = (2 * sum(said) - len(said)) * (1 if review.label else -1)
            right[way] += 1 if lead > 0 else 0.5 if lead == 0 else 0
    shares = {way: n / len(rows) for way, n in right.items()}
    assert 0.76 < shares["sum"] < 0.83, shares
    assert shares["order"] > 0.97, shares


def test_dev_reviews_have_words_that_no_labelled_review_shows():
    corpus = made()
    shown = {p for r in corpus.train for p in r.text.split()}
    new = [sum(p not in shown for p in r.text.split()) for r in corpus.dev]
    assert sum(n > 0 for n in new) / len(new) > 0.3
    counts = Counter(p for r in corpus.unlabelled for p in r.text.split())
    assert min(counts[reviews.MARK + w] for w in (*corpus.words.against, *corpus.words.in_favour)) >= 10


def test_no_world_has_an_unwanted_word():
    assert {"rape", "nazi"} <= reviews._fixed_words()


def test_entropy_is_what_the_notebook_says():
    assert 1.58 < made().entropy < 1.64
    assert 36 < sum(len(r.text.split()) for r in made().unlabelled) / 1500 < 41


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("train.label", "0\n2\n", "line 2"),
        ("train.label", "0\n", "1 labels for 2 reviews"),
        ("train.review.spm", "▁a\n\n", "line 2"),
        ("train.review.spm", b"\xff\n\n", "not UTF-8"),
        ("dict.txt", "▁a one\n", "line 1"),
        ("dict.txt", "▁z 1\n", "none of the pieces"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, name, content, words):
    for file, text in {"train.review.spm": "▁a ▁b\n▁b\n", "train.label": "0\n1\n", "dict.txt": "▁a 1\n▁b 1\n"}.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CourseError, match=words):
        texts = reviews.read_reviews(tmp_path, "train")
        reviews.read_labels(tmp_path, "train")
        reviews.read_pieces(tmp_path, texts)


def test_command_line(tmp_path, capsys):
    assert reviews.main(["--seed", "3", "--out", str(tmp_path / "out")]) == 0
    assert "40 labelled" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert reviews.main(["--seed", "3", "--out", str(tmp_path / "file" / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(CourseError, match="n_dev"):
        reviews.generate(1, n_dev=0)
