"""The table of results on real data: both notebooks have it, and every number in it stands where its row says."""

import json
import re

import pytest

from autograder.source.build import REAL_MARKER, source_notebook
from autograder.source.percent import read_source
from autograder.source.tables import real_data_table
from benchmarks.claims.real_data import FILE, real_data_problems
from course_utils.errors import CourseError
from tests.paths import ROOT

ROW = {
    "recipe": "07", "right": "2.5 %", "compare": "chance 1 %", "runs": "3 runs", "cost": "20 minutes", "source": "here",
    "evidence": {"2.5 %": "record.json: mean:runs.*", "1 %": "notes.md: by chance 1 %", "3": "record.json: count:runs.*",
                 "20": "notes.md: took 20 minutes"},
}  # fmt: skip


@pytest.fixture
def root(tmp_path):
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / "solutions").mkdir()
    (tmp_path / "record.json").write_text(json.dumps({"runs": [0.02, 0.025, 0.03]}))
    (tmp_path / "notes.md").write_text("It was 11 % and took\n20 minutes, by chance 1 %.\n")
    return tmp_path


def wrong(root, **changes):
    (root / FILE).write_text(json.dumps({"rows": [{**ROW, **changes}]}))
    return real_data_problems(root)


@pytest.mark.parametrize("name", ["07_knowledge", "08_other_attentions"])
def test_both_notebooks_show_the_table(name):
    source = read_source(ROOT / "solutions" / f"{name}.py")
    assert sum(REAL_MARKER in cell.text for cell in source.cells) == 1
    (cell,) = [cell for cell in source_notebook(source).cells if real_data_table(source) in cell.source]
    rows = json.loads((ROOT / FILE).read_text(encoding="utf-8"))["rows"]
    assert all(f"| {row['recipe']} |" in cell.source and row["right"] in cell.source for row in rows)
    assert {row["recipe"][:2] for row in rows} >= {"07", "08"}


def test_every_number_on_file_has_its_source():
    assert real_data_problems(ROOT) == []


def test_a_row_with_sources_is_in_order(root):
    assert wrong(root) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"right": "2.6 %"}, "its number 2.6 has no evidence"),
        ({"cost": "20 minutes, 7 GB"}, "its number 7 has no evidence"),
        ({"evidence": {**ROW["evidence"], "2.5 %": "record.json: max:runs.*"}}, "it prints 2.5 %, but record.json has"),
        ({"evidence": {**ROW["evidence"], "2.5 %": "record.json: tries"}}, "record.json: nothing at tries"),
        ({"evidence": {**ROW["evidence"], "1 %": "notes.md: by chance 2 %"}}, "notes.md does not say “by chance 2 %”"),
        ({"evidence": {**ROW["evidence"], "1 %": "notes.md: It was 11 %"}}, "“It was 11 %” does not hold 1 %"),
        ({"evidence": {**ROW["evidence"], "20": "nowhere.md: 20"}}, "there is no file nowhere.md"),
        ({"evidence": {**ROW["evidence"], "99": "notes.md: 20"}}, "its evidence is for 99, which it does not print"),
    ],
)
def test_a_number_without_its_source_is_told(root, changes, words):
    (problem,) = [one for one in wrong(root, **changes) if words in one]
    assert problem.startswith(f"{FILE}, “07”: ")


def test_a_table_that_cannot_be_read_is_told(root):
    (root / "solutions" / "07_x.py").write_text("# %% [markdown]\n# # A title\n")
    source = read_source(root / "solutions" / "07_x.py")
    for text in ("{", '{"rows": [{"recipe": "07"}]}'):
        (root / FILE).write_text(text)
        with pytest.raises(CourseError, match=re.escape("real_data.json cannot be read")):
            real_data_table(source)
    (root / FILE).write_text("{")
    with pytest.raises(CourseError, match="cannot be read"):
        real_data_problems(root)
