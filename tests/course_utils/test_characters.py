"""Characters that questions have and the wiki lacks: told once, and treated alike in training and evaluation."""

import pytest

from course_utils.corpora.world import ALPHABET, generate
from course_utils.data import Question, Task, read_task, vocabulary_of
from course_utils.errors import CourseError
from course_utils.vocab import MASK, Vocabulary

WIKI = "Ada was born in Rome.\nBob was born in Oslo. Where\n"
FILES = ("train.tsv", "dev.tsv", "test.tsv")


def write(folder, **texts):
    for name, text in {"wiki.txt": WIKI, "train.tsv": "Where was Ada born?\tRome\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, text in texts.items():
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    return folder


def test_a_question_mark_that_only_questions_have_is_taken_in_and_told_once(tmp_path, capsys):
    write(tmp_path, dev="Where was Bob born?\tOslo\n", test="Where was Bob born?\n")
    task = read_task(tmp_path, *FILES)
    assert "?" in task.vocab.stoi and [q.text for qs in task.questions for q in qs] == [
        "Where was Ada born?",
        "Where was Bob born?",
        "Where was Bob born?",
    ]
    task.tell()
    assert capsys.readouterr().out == (
        "Characters that wiki.txt lacks: '?' in 1 of 1 questions of train.tsv (taken into the vocabulary, first met in "
        "finetuning).\n"
    )


def test_a_character_of_other_questions_alone_is_left_out_of_them(tmp_path):
    write(
        tmp_path,
        dev="Where was Böb born?\tOslo\nWhere was Bob born?\tŁódź\n",
        test="Where was Bob born?\nWhere was \u0301Ada born?\nWhere was Ada\u3000born?\n",
    )
    task = read_task(tmp_path, *FILES)
    learned, dev, test = task.questions
    assert dev == [Question("Where was Bb born?", "Oslo"), Question("Where was Bob born?", "Łódź")]
    assert [q.text for q in test] == ["Where was Bob born?", "Where was Ada born?", "Where was Adaborn?"]
    for q in [*learned, *dev, *test]:
        assert task.vocab.decode(task.vocab.encode(q.text)) == q.text, "every question can be written as it stands"
    for clause in (
        "'ö' in 1 of 2 questions of dev.tsv (left out of the question)",
        "'ó', 'Ł', 'ź' in 1 of 2 answers of dev.tsv (such an answer counts as wrong)",
        "U+0301, U+3000 in 2 of 3 questions of test.tsv (left out of the question)",
    ):
        assert clause in task.report
    assert "\n" not in task.report and task.report.count(".tsv") == 4


def test_an_answer_that_the_vocabulary_cannot_write_is_not_trained_on():
    task = Task([], Vocabulary.from_text("abcx\n"), "the vocabulary of w.st")
    asked = [Question("abc?", "x"), Question("abc", "xé")]
    assert task.fit(asked, "train.tsv", train=True) == [Question("abc", "x")]
    assert task.fit(asked, "dev.tsv") == [Question("abc", "x"), Question("abc", "xé")]
    assert "'é' in 1 of 2 answers of train.tsv (these questions are not trained on)" in task.report
    with pytest.raises(CourseError, match=r"shares too few characters with the vocabulary of w\.st"):
        task.fit([Question("abc", "é")], "train.tsv", train=True)
    with pytest.raises(CourseError, match="nothing would be left of a question"):
        task.fit([Question("ÉÉ")], "dev.tsv")


def test_many_characters_are_counted(tmp_path):
    write(tmp_path, dev="Where was Bob born? αβγδεζηθικ\tOslo\n")
    assert "'α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ' and 2 more" in read_task(tmp_path, "train.tsv", "dev.tsv").report


def test_a_reserved_character_is_named_by_its_line(tmp_path):
    write(tmp_path)
    (tmp_path / "train.tsv").write_text(f"Where?\tRome\nWhere?\tOs{MASK}lo\n", encoding="utf-8")
    with pytest.raises(CourseError, match="Line 2 of the text contains"):
        read_task(tmp_path, "train.tsv")


def test_nothing_changes_in_a_world_of_the_course(tmp_path, capsys):
    world = generate("characters")
    world.write(tmp_path, hidden=tmp_path)
    names = ("birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv", "never_seen_inputs.tsv")
    task = read_task(tmp_path, *names)
    task.tell()
    assert capsys.readouterr().out == "" == task.report
    assert task.vocab.itos == Vocabulary.from_text("\n".join(world.wiki) + "\n").itos
    assert task.vocab.itos == Vocabulary.from_text(ALPHABET).itos
    assert task.questions == [world.train, world.dev, [Question(q.text) for q in world.test], world.never]
    assert vocabulary_of(world.wiki, world.train) == vocabulary_of(world.wiki)
