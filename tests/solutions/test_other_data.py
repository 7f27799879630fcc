"""Notebooks on data of one's own: one line names the folder, and a world without a list of unknown people has some made up."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.source.build import source_notebook
from benchmarks.experiments import sweep
from benchmarks.experiments.real_data import PARAMETER, main, on, printed
from course_utils.config import ModelConfig, TrainConfig
from course_utils.corpora.world import generate
from course_utils.data import Question, read_questions, read_wiki
from course_utils.errors import CourseError
from course_utils.generate import answer_questions
from course_utils.lessons.knowledge import never_seen
from course_utils.model import GPT
from course_utils.train import train
from solutions.reference.knowledge import CharCorruptionDataset, NameDataset
from tests.paths import ROOT
from tests.sources import course_sources


@pytest.mark.parametrize("name", PARAMETER)
def test_one_line_of_each_notebook_names_its_data(name, tmp_path):
    source = next(one for one in course_sources() if one.name == name)
    changed = on(source_notebook(source), name, tmp_path)
    (cell,) = [cell for cell in changed.cells if str(tmp_path) in cell.source]
    assert "from pathlib import Path" in cell.source or any("import Path" in c.source for c in changed.cells)
    compile(cell.source, name, "exec")
    with pytest.raises(CourseError, match="no single line"):
        on(changed, name, tmp_path)


def test_what_a_notebook_printed_is_collected():
    first, second = new_code_cell("1"), new_code_cell("2")
    first.outputs = [{"output_type": "stream", "name": "stdout", "text": "a\n"}]
    second.outputs = [
        {"output_type": "stream", "name": "stderr", "text": "noise\n"},
        {"output_type": "stream", "name": "stdout", "text": "b\n"},
    ]
    assert printed(new_notebook(cells=[first, second])) == "a\nb\n"


def test_a_missing_folder_is_told(tmp_path, capsys):
    assert main(["07_knowledge", str(tmp_path / "nowhere")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_unknown_people_come_from_the_file_or_are_made_up(tmp_path):
    world = ROOT / "data" / "world"
    asked, wiki = read_questions(world / "birth_dev.tsv"), read_wiki(world / "wiki.txt")
    kept = never_seen(world / "never_seen_inputs.tsv", asked, wiki)
    assert kept == read_questions(world / "never_seen_inputs.tsv")
    made = never_seen(tmp_path / "none.tsv", asked, wiki)
    text, firsts = "\n".join(wiki), {q.text.split()[2] for q in asked}
    assert len(made) > 10 and len(set(made)) == len(made)
    for question in made:
        name = question.text.removeprefix("Where was ").removesuffix(" born?")
        assert name not in text and name.split()[0] in firsts and question.answer is None
    lone = [Question("Where was Plato born?", "Athens"), Question("Where was Ada Lon born?", "Setu")]
    assert never_seen(tmp_path / "none.tsv", lone, wiki) == []


@pytest.fixture
def unasked(tmp_path):
    """A folder of data without a list of unknown people: no document has a question mark, and one dev person's name an é."""
    generate("other data").write(tmp_path / "data", hidden=tmp_path / "hidden")
    folder = tmp_path / "data"
    (folder / "never_seen_inputs.tsv").unlink()
    wiki = folder / "wiki.txt"
    wiki.write_text(wiki.read_text(encoding="utf-8").replace("?", ""), encoding="utf-8")
    dev = folder / "birth_dev.tsv"
    first, rest = dev.read_text(encoding="utf-8").split("\n", 1)
    dev.write_text(f"{first.replace(' born?', 'é born?')}\n{rest}", encoding="utf-8")
    return folder


def told(count):
    return (
        f"Characters that wiki.txt lacks: '?' in {count} of {count} questions of birth_places_train.tsv (taken into the "
        "vocabulary, first met in finetuning); 'é' in 1 of "
    )


@pytest.mark.parametrize("name", ["07_knowledge", "08_other_attentions"])
def test_a_wiki_without_question_marks_stops_no_training(name, unasked, tmp_path, monkeypatch, capsys):
    """The notebook's own cell reads the folder; the model is then trained and asked with what that cell made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_DIR", str(ROOT))
    source = next(one for one in course_sources() if one.name == name)
    cells = [cell.source for cell in on(source_notebook(source), name, unasked).cells if cell.cell_type == "code"]
    last = next(k for k, text in enumerate(cells) if str(unasked) in text)
    made: dict = {"__name__": name}
    for text in cells[1 : last + 1]:  # the first one looks for the course
        exec(compile(text, name, "exec"), made)
    vocab, learned, dev = made["vocab"], made["train_questions"], made["dev_questions"]
    assert capsys.readouterr().out.count(told(len(learned))) == 1
    model, short = (
        GPT(ModelConfig(vocab_size=len(vocab), block_size=64, n_layer=1, n_head=2, n_embd=32)),
        TrainConfig(batch_size=8, steps=2),
    )
    train(model, CharCorruptionDataset(made["wiki"], vocab, 64), short, progress=False)
    train(model, NameDataset(learned, vocab, 64), short, progress=False)
    asked = [*dev, *made.get("test_questions", []), *made.get("never_questions", [])]
    assert len(answer_questions(model, vocab, asked)[0]) == len(asked) > len(dev) - 1
    assert all(q.text.startswith("Where was ") and q.text.endswith(" born?") for q in asked)


def test_the_sweep_tells_the_characters_once_and_reads_as_the_notebook_does(unasked, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sweep, "run_all", lambda jobs, slots, command: [])
    assert sweep.main(["--data", str(unasked), "--slots", "cpu", "--out", str(tmp_path / "out")]) == 0
    wiki, vocab, learned, asked = sweep._data(unasked, 0)
    assert capsys.readouterr().out.count(told(len(learned))) == 1
    assert "?" in vocab.stoi and not any("?" in text for text in wiki)
    assert "é" not in vocab.stoi and all(set(q.text) <= set(vocab.itos) for q in [*learned, *asked])
    assert all(vocab.encode(q.text) for q in [*learned, *asked])
