"""Notebooks on data of one's own: one line names the folder, and a world without a list of unknown people has some made up."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.source.build import source_notebook
from benchmarks.experiments.real_data import PARAMETER, main, on, printed
from course_utils.data import Question, read_questions, read_wiki
from course_utils.errors import CourseError
from course_utils.lessons.knowledge import never_seen
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
