"""The fictional world: the same bytes everywhere, and facts that are where they should be."""

import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import sha256
from itertools import pairwise

import pytest

from course_utils.corpora import world
from course_utils.data import Question, read_questions, read_wiki
from course_utils.errors import CourseError
from course_utils.vocab import Vocabulary
from tests.paths import ROOT

SEEDS = [pytest.param(range(25), id="25"), pytest.param(range(25, 200), id="others", marks=pytest.mark.slow)]
VISIBLE = {"wiki.txt", "birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv", "never_seen_inputs.tsv"}

# wiki.txt and all questions with their answers; computed once, they must not change with platform or version
REFERENCE = {
    1: "6417e5a216307ec2c0d49cc3da4f424bcfc3e30f2f89e4aee84465f92a59da70",
    "autumn": "1b628575ad1e9f1fcf53e59b1af58ce1b47db0759075f166e120084335c9ed25",
}


@cache
def made(seed):
    return world.generate(seed)


def digest(w):
    rows = [f"{q.text}\t{q.answer}" for split in ("train", "dev", "test", "never") for q in w.questions(split)]
    return sha256("\n".join([*w.wiki, *rows]).encode()).hexdigest()


@pytest.mark.parametrize("seed", REFERENCE)
def test_worlds_are_the_same_to_the_byte_everywhere(seed):
    assert digest(made(seed)) == REFERENCE[seed]


def test_hash_randomisation_changes_nothing():
    code = "from course_utils.corpora.world import generate; print('\\n'.join(generate(1).wiki))"
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"  # not that of this process
    command, more = [sys.executable, "-c", code], {"PYTHONHASHSEED": other}
    done = subprocess.run(command, cwd=ROOT, env=more, capture_output=True, check=True)
    assert done.stdout == ("\n".join(made(1).wiki) + "\n").encode()


def test_number_and_text_seeds_that_look_alike_are_one_world():
    assert world.generate(1) == world.generate("1")


def test_sizes_are_those_of_the_course():
    w = made(1)
    assert [len(q) for q in (w.train, w.dev, w.test, w.never)] == [150, 50, 100, 50]
    assert len(w.wiki) == 1200
    assert 26 <= sum(map(len, w.wiki)) / 1200 <= 29
    assert len(Vocabulary.from_text(world.ALPHABET)) == 50


@pytest.mark.parametrize("seeds", SEEDS)
def test_all_worlds_have_one_character_set_and_it_is_the_alphabet(seeds):
    for seed in seeds:
        w = made(seed)
        wiki = "\n".join(w.wiki)
        questions = "".join(q.text + (q.answer or "") for q in (*w.train, *w.dev, *w.test, *w.never))
        assert set(wiki) == set(world.ALPHABET), seed
        assert set(questions) <= set(world.ALPHABET), seed
        assert Vocabulary.from_text(wiki) == Vocabulary.from_text(world.ALPHABET)


def test_the_largest_world_has_enough_names():
    w = world.generate(7, n_people=2000, n_never=300)
    assert len({p.name.split()[1] for p in w.people}) == 2300


@pytest.mark.parametrize("seeds", SEEDS)
def test_nobody_is_in_two_splits_and_surnames_are_unique(seeds):
    for seed in seeds:
        people = made(seed).people
        assert len({p.name.split()[1] for p in people}) == len({p.name for p in people}) == len(people) == 350


def test_surnames_of_people_with_documents_differ_in_two_letters_at_least():
    for seed in (1, 2, 3):
        names = [p.name.split()[1] for p in made(seed).people if p.split != "never"]
        pairs = ((a, b) for i, a in enumerate(names) for b in names[:i])
        assert min(sum(x != y for x, y in zip(a, b, strict=True)) for a, b in pairs) >= 2


def test_no_two_splits_share_a_question():
    w = made(3)
    splits = [{q.text for q in w.questions(s)} for s in ("train", "dev", "test", "never")]
    assert len(set().union(*splits)) == sum(map(len, splits)) == 350


@pytest.mark.parametrize("seed", range(10))
def test_every_person_has_four_documents_with_name_and_town_in_different_words(seed):
    w = made(seed)
    documents = {p.name: [line for line in w.wiki if p.name in line] for p in w.people}
    for person in w.people:
        lines = documents[person.name]
        if person.split == "never":
            assert lines == [] and person.town is None
            continue
        assert len(lines) == len(set(lines)) == 4
        assert all(person.town in line for line in lines)
        shapes = {
            line.replace(person.name, "N").replace(person.town, "T").replace(person.occupation, "J") for line in lines
        }
        assert len(shapes) == 4


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_surname_of_a_never_seen_person_stands_nowhere(seeds):
    for seed in seeds:
        wiki = "\n".join(made(seed).wiki)
        for question in made(seed).never:
            assert question.answer is None
            assert question.text.split()[3] not in wiki, (seed, question)


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_most_frequent_town_does_not_pay(seeds):
    for seed in seeds:
        w = made(seed)
        for split in ("train", "dev", "test"):
            counts = Counter(q.answer for q in w.questions(split)).most_common()
            assert counts[0][1] <= 0.07 * sum(n for _, n in counts), (seed, split)
        (capital, most), (_, second), *_ = Counter(q.answer for q in w.train).most_common()
        assert most > second, "one town is the most frequent in training, without a tie"
        assert sum(q.answer == capital for q in w.test) <= 7


@pytest.mark.parametrize("seeds", SEEDS)
def test_knowing_how_towns_are_dealt_in_training_does_not_help_in_the_test(seeds):
    """In 200 worlds, test people have the town of their trained neighbour as often as chance has it."""
    hits = trials = 0
    for seed in seeds:
        w = made(seed)
        for a, b in zip(w.train, w.test, strict=False):
            trials += 1
            hits += a.answer == b.answer
    assert abs(hits / trials - 1 / 24) < 5 * (1 / 24 * 23 / 24 / trials) ** 0.5


@pytest.mark.parametrize("seeds", SEEDS)
def test_there_are_24_towns_of_two_syllables_no_two_beginning_alike(seeds):
    vowels = set("aeiou")
    for seed in seeds:
        names = world.towns(seed)
        assert len(names) == len({town[:2] for town in names}) == 24
        assert set(Counter(town[0] for town in names).values()) == {2}
        for town in names:
            assert 4 <= len(town) <= 5 and sum(c in vowels for c in town.lower()) == 2
        assert not set(names) & set(world.FIRST_NAMES)
        assert {q.answer for q in made(seed).train} == set(names)


def shape_of(line, w):
    """The pattern a line was made with."""
    name, town, job = next((p.name, p.town, p.occupation) for p in w.people if p.name in line)
    (pattern,) = [p for p in world.PATTERNS if p.format(name=name, town=town, job=job) == line]
    return pattern


def test_all_twelve_patterns_are_used_about_equally_often():
    assert (len(world.NAME_FIRST), len(world.TOWN_FIRST), len(set(world.PATTERNS))) == (10, 2, 12)
    for pattern in world.PATTERNS:
        named_first = pattern.index("{name}") < pattern.index("{town}")
        assert named_first == (pattern in world.NAME_FIRST)
    counts = Counter(shape_of(line, made(seed)) for seed in range(3) for line in made(seed).wiki)
    assert set(counts) == set(world.PATTERNS)
    assert all(240 <= n <= 360 for n in counts.values()), counts  # 300 expected, standard deviation 14


def test_documents_of_one_person_do_not_stand_together():
    w = made(1)
    names = [next(p.name for p in w.people if p.name in line) for line in w.wiki]
    assert sum(a == b for a, b in pairwise(names)) < 15  # 3 expected


# ---------------------------------------------------------------------------------------------------------- options


def test_fewer_documents_are_a_part_of_more():
    few, usual = world.generate(5, documents_per_person=1), made(5)
    assert few.people == usual.people
    assert [line for line in usual.wiki if line in set(few.wiki)] == few.wiki
    assert len(few.wiki) == 300


def test_fewer_people_are_the_first_of_more():
    few, usual = world.generate(5, n_people=60, n_never=10), made(5)
    named = lambda w, split: [(p.name, p.town) for p in w.people if p.split == split]  # noqa: E731
    for split in ("train", "dev", "test", "never"):
        some = named(few, split)
        assert some == named(usual, split)[: len(some)]
    assert [len(few.questions(s)) for s in ("train", "dev", "test", "never")] == [30, 10, 20, 10]


@pytest.mark.parametrize("phrasings", [1, 2, 4])
def test_phrasings_say_in_how_many_sentences_a_fact_is_seen(phrasings):
    w = world.generate(5, phrasings=phrasings)
    for person in w.people[:20]:
        lines = [line for line in w.wiki if person.name in line]
        assert len(lines) == 4 and len(set(lines)) == phrasings
    assert w.people == made(5).people


def test_a_number_of_patterns_takes_the_first_and_a_list_is_taken_as_it_is():
    assert {shape_of(line, w) for w in [world.generate(5, patterns=3)] for line in w.wiki} == set(world.PATTERNS[:3])
    w = world.generate(5, patterns=["{town} {name}"], documents_per_person=2, n_people=30)
    assert Counter(w.wiki) == {f"{p.town} {p.name}": 2 for p in w.people if p.town}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_people": 0}, "n_people must lie"),
        ({"n_people": 10**6}, "n_people must lie"),
        ({"n_never": 301}, "n_never must lie"),
        ({"n_never": -1}, "n_never must lie"),
        ({"documents_per_person": 0}, "documents_per_person"),
        ({"phrasings": 0}, "phrasings"),
        ({"phrasings": 13}, "phrasings"),
        ({"patterns": 13}, "patterns"),
        ({"patterns": []}, "At least one"),
        ({"patterns": ["{name} is nice"]}, "unlike .{name} is nice"),
        ({"patterns": ["{name} {town} {"]}, "A pattern is one line"),
        ({"patterns": ["{name}\n{town}"]}, "A pattern is one line"),
        ({"patterns": "{name} {town}"}, "not one text"),
        ({"patterns": ["{name} {town} {age}"]}, "'{name} {town} {age}'"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(CourseError, match=message):
        world.generate(1, **options)


# ------------------------------------------------------------------------------------------------------------ files


def test_files_hold_the_world_and_the_answers_stay_hidden(tmp_path):
    w, out, hidden = made(4), tmp_path / "a" / "out", tmp_path / "b"
    w.write(out, hidden)
    assert {p.name for p in out.iterdir()} == VISIBLE | {"manifest.json"}
    assert [p.name for p in hidden.iterdir()] == ["birth_test.tsv"]
    assert read_wiki(out / "wiki.txt") == w.wiki
    assert read_questions(out / "birth_places_train.tsv") == w.train
    assert read_questions(out / "birth_dev.tsv") == w.dev
    assert read_questions(out / "never_seen_inputs.tsv") == w.never
    assert read_questions(hidden / "birth_test.tsv") == w.test
    assert read_questions(out / "birth_test_inputs.tsv") == [Question(q.text, None) for q in w.test]


def test_the_manifest_has_the_hashes_and_not_the_seed(tmp_path):
    seed = "8f14e45fceea167a"
    world.generate(seed).write(tmp_path)
    text = (tmp_path / "manifest.json").read_text()
    entries = json.loads(text)["files"]
    assert set(entries) == VISIBLE
    for name, entry in entries.items():
        content = (tmp_path / name).read_bytes()
        assert entry == {"bytes": len(content), "sha256": sha256(content).hexdigest()}
        assert seed.encode() not in content
    assert seed not in text and "seed" not in text


def test_without_a_hidden_folder_no_answers_are_written(tmp_path):
    made(4).write(tmp_path)
    assert "birth_test.tsv" not in {p.name for p in tmp_path.rglob("*")}


def test_command_line(tmp_path, capsys):
    assert world.main(["--seed", "4", "--out", str(tmp_path / "o"), "--hidden", str(tmp_path / "h")]) == 0
    assert "150 train, 50 dev and 100 test people" in capsys.readouterr().out
    assert read_wiki(tmp_path / "o" / "wiki.txt") == made(4).wiki
    assert read_questions(tmp_path / "h" / "birth_test.tsv") == made(4).test


def test_an_unwritable_folder_is_one_sentence_and_exit_code_2(tmp_path):
    (tmp_path / "file").write_text("in the way")
    command = [sys.executable, "-m", "course_utils.corpora.world", "--seed", "1", "--out", str(tmp_path / "file" / "x")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "Cannot make the folder" in done.stderr


def test_embedded_world_is_what_the_generator_makes(tmp_path):
    world.generate(1).write(tmp_path)
    embedded = ROOT / "data" / "world"
    assert {p.name for p in embedded.iterdir()} == {p.name for p in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert (embedded / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_manifest_of_every_generated_folder_is_complete():
    others = ("measured", "promises")  # the one is measured, the other has a hash for each entry (build --check)
    folders = [p for p in (ROOT / "data").iterdir() if p.is_dir() and p.name not in others]
    assert ROOT / "data" / "world" in folders
    for folder in folders:
        listed = json.loads((folder / "manifest.json").read_text())["files"]
        assert sorted(listed) == sorted(p.name for p in folder.iterdir() if p.name != "manifest.json")
        for name, entry in listed.items():
            assert sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"], name
