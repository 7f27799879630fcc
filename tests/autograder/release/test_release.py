"""A release: what students get and what they do not, a gradebook that knows the checks, and nothing lost on the way."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import tomllib
import zipfile
from contextlib import closing

import pytest
import yaml
from alembic.config import Config as AlembicConfig
from alembic.script import ScriptDirectory
from nbgrader.dbutil import _temp_alembic_ini

from autograder import cli
from autograder.grading.entering import rebuild_gradebook
from autograder.grading.repair import changed_checks
from autograder.release import make as maker
from autograder.release.gradebook import whole
from autograder.release.make import make_release
from autograder.release.read import Release, graded_cells, load_release
from autograder.source.build import student_notebook
from autograder.source.percent import read_source
from course_utils.errors import CourseError
from tests.paths import ROOT, SAMPLE_COURSE

NAME = "97_sample"
SEED = 2**61 + 12345
WORLD = {"n_people": 60, "n_never": 10}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Release:
    """A release of the sample course, seed stated above."""
    out = tmp_path_factory.mktemp("term") / "release"
    assert make_release(out, SEED, "Spring", source_dir=SAMPLE_COURSE, world=WORLD) == out
    return load_release(out)


def test_students_get_notebooks_tools_data_and_how_to_start(made):
    for part in (
        "notebooks/97_sample.ipynb",
        "course_utils/checks/selfcheck.py",
        "data/world/wiki.txt",
        "README.md",
        "LICENSE",
    ):
        assert (made.public / part).is_file(), part
    needs = (made.public / "requirements.txt").read_text().splitlines()
    assert any(line.startswith("torch") for line in needs) and not any("nbgrader" in line for line in needs)
    assert needs[0].startswith("--extra-index-url https://") and needs[0].endswith("/cpu")  # the student may delete it
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert needs[1:] == project["dependencies"], "every package, once, from one source"
    conda = yaml.safe_load((made.public / "environment.yml").read_text())
    assert set(conda) == {"name", "channels", "dependencies"} and conda["channels"] == ["conda-forge"]
    # pip's requirements are read from the folder of environment.yml, and pip itself must be there
    assert conda["dependencies"] == [f"python{project['requires-python']}", "pip", {"pip": ["-r requirements.txt"]}]
    assert "97_sample.ipynb" in (made.public / "README.md").read_text()


def test_students_do_not_get_seed_answers_solutions_or_the_autograder(made):
    answers = (made.private(NAME) / "birth_test.tsv").read_text(encoding="utf-8").splitlines()
    assert len(answers) == 20 and all("\t" in line for line in answers)
    for path in made.public.rglob("*"):
        assert path.name not in ("solutions", "autograder", "release.json", "birth_test.tsv", "__pycache__")
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            assert (str(SEED) not in text and "### BEGIN" not in text) or path.parent.name == "course_utils"
            assert not set(answers) & set(text.splitlines())
    assert stat.S_IMODE((made.root / "release.json").stat().st_mode) == 0o600


def test_the_zip_is_the_folder_and_the_same_every_time(made, tmp_path):
    with zipfile.ZipFile(made.root / "student.zip") as archive:
        names = set(archive.namelist())
        assert archive.read("student/data/world/wiki.txt") == (made.public / "data/world/wiki.txt").read_bytes()
    assert names == {f"student/{p.relative_to(made.public).as_posix()}" for p in made.public.rglob("*") if p.is_file()}
    for path in made.public.rglob("*"):
        os.utime(path, (1, 1))
    maker.zip_folder(made.public, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (made.root / "student.zip").read_bytes()


def test_checks_come_from_the_gradebook_with_points_and_limits(made):
    checks = made.checks(NAME)
    assert [(c.id, c.points, c.timeout) for c in checks.values()] == [
        ("baseline", 2.0, 60.0),
        ("scaler", 1.5, 20.0),
        ("lines", 1.0, 60.0),
    ]
    assert all("HIDDEN" in c.source and "HIDDEN" not in c.visible for c in checks.values())
    assert "private.lines" in checks["lines"].source and "private" not in checks["lines"].visible
    texts = {cell["id"]: "".join(cell["source"]) for cell in made.skeleton(NAME)["cells"]}
    assert all(texts[f"check-{c.id}"] == c.visible for c in checks.values())


def test_the_skeleton_is_the_student_version(made):
    assert made.skeleton(NAME) == json.loads(json.dumps(student_notebook(read_source(SAMPLE_COURSE / f"{NAME}.py"))))
    assert made.assignments == [NAME] and made.term == "Spring" and len(made.id) == 16


def test_written_answers_are_in_the_gradebook_for_marking_by_hand(made):
    texts, points = graded_cells(made.root / "instructor", NAME)
    assert points["written-why"] == 2.0 and sum(points.values()) == 6.5
    assert "Write your answer here" in texts["written-why"]


def test_another_seed_gives_another_world_and_the_same_seed_the_same_bytes(made, tmp_path):
    again = load_release(make_release(tmp_path / "same", SEED, "Spring", source_dir=SAMPLE_COURSE, world=WORLD))
    other = load_release(make_release(tmp_path / "other", source_dir=SAMPLE_COURSE, world=WORLD))
    assert (again.root / "student.zip").read_bytes() == (made.root / "student.zip").read_bytes()
    assert again.id == made.id != other.id
    assert other.record["seed"] != SEED and other.record["seed"].bit_length() > 32
    hidden = [(release.private(NAME) / "birth_test.tsv").read_bytes() for release in (made, again, other)]
    assert hidden[0] == hidden[1] != hidden[2]


def test_nbgrader_itself_reads_the_course(made):
    """The folder can be moved and nbgrader's own command finds root, gradebook and our preprocessors."""
    code = (
        "from nbgrader.apps import NbGrader\n"
        "app = NbGrader(); app.initialize([])\n"
        "print(app.coursedir.root); print(app.config.OverwriteCells.add_missing_cells)\n"
        "print(app.config.Autograde.autograde_preprocessors[0], app.config.GenerateAssignment.preprocessors[1])\n"
    )
    folder = made.root / "instructor"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        str(folder),
        "True",
        "autograder.grading.gradebook.TrustedExecute",
        "autograder.source.build.ClearAnswers",
    ]


def test_a_release_with_submissions_is_not_replaced(tmp_path):
    out = make_release(tmp_path / "release", 5, source_dir=SAMPLE_COURSE, world=WORLD)
    make_release(out, 6, source_dir=SAMPLE_COURSE, world=WORLD)  # nobody has handed in: a new one may take its place
    assert load_release(out).record["seed"] == 6
    (out / "instructor" / "submitted" / "ada" / NAME).mkdir(parents=True)
    with pytest.raises(CourseError, match="has submissions"):
        make_release(out, 7, source_dir=SAMPLE_COURSE, world=WORLD)
    assert load_release(out).record["seed"] == 6


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(CourseError, match="something else"):
        make_release(tmp_path, 1, source_dir=SAMPLE_COURSE)
    assert (tmp_path / "thesis.txt").exists()


def test_a_failure_leaves_nothing_half_made(tmp_path, monkeypatch):
    monkeypatch.setattr(maker, "_write_record", lambda *a: (_ for _ in ()).throw(CourseError("no")))
    with pytest.raises(CourseError, match="no"):
        make_release(tmp_path / "release", 1, source_dir=SAMPLE_COURSE, world=WORLD)
    assert list(tmp_path.iterdir()) == []


def test_hidden_answers_in_the_students_folder_stop_it(tmp_path, monkeypatch):
    write = maker._write_data

    def leaky(aside, seed, names, options):
        write(aside, seed, names, options)
        (aside / "student" / "notes.txt").write_bytes((aside / "private" / NAME / "birth_test.tsv").read_bytes())

    monkeypatch.setattr(maker, "_write_data", leaky)
    with pytest.raises(CourseError, match=r"notes\.txt: holds hidden answers"):
        make_release(tmp_path / "release", 1, source_dir=SAMPLE_COURSE, world=WORLD)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda root: (root / "release.json").unlink(), "no release is here"),
        (lambda root: (root / "release.json").write_text("{"), "not a release's record"),
        (lambda root: (root / "release.json").write_text("{}"), "not a release's record"),
        (lambda root: (root / "instructor" / "gradebook.db").unlink(), "gradebook.db is missing"),
        (lambda root: (root / "instructor" / "gradebook.db").write_text("no database " * 999), "ledger rebuild"),
        (lambda root: (root / "instructor" / "gradebook.db").write_bytes(b""), "ledger rebuild"),
    ],
)
def test_a_damaged_release_is_one_sentence(made, tmp_path, harm, words):
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(made.root), str(copy)], check=True)
    harm(copy)
    with pytest.raises(CourseError, match=words) as caught:
        load_release(copy).checks(NAME)
    assert "\n" not in str(caught.value)


def test_a_lost_gradebook_is_made_again_with_the_same_checks(made, tmp_path):
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(made.root), str(copy)], check=True)
    (copy / "instructor" / "gradebook.db").unlink()
    with pytest.raises(CourseError, match="ledger rebuild"):
        load_release(copy)
    release = load_release(copy, gradebook=False)
    assert rebuild_gradebook(release, progress=False)
    assert whole(copy / "instructor") and load_release(copy).checks(NAME) == made.checks(NAME)
    source = copy / "instructor" / "source" / NAME / f"{NAME}.ipynb"
    source.write_text(source.read_text().replace("2 / 3", "1.0"))
    (copy / "instructor" / "gradebook.db").unlink()
    with pytest.raises(CourseError, match="changed after the release was made"):
        rebuild_gradebook(release, progress=False)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE grade_cells SET max_score = 50", "baseline: worth 50 points in gradebook.db, 2 in the release"),
        ("UPDATE source_cell SET source = 'pass' WHERE name = 'check-baseline'", "baseline: the text of the check"),
    ],
)
def test_checks_edited_in_the_gradebook_are_named(made, tmp_path, statement, words):
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(made.root), str(copy)], check=True)
    assert changed_checks(load_release(copy)) == []
    with sqlite3.connect(copy / "instructor" / "gradebook.db") as book:
        book.execute(statement)
    assert any(words in sentence for sentence in changed_checks(load_release(copy)))
    assert cli.main(["ledger", "verify", "--release", str(copy)]) == 1
    (copy / "instructor" / "gradebook.db").unlink()
    assert cli.main(["ledger", "rebuild", "--release", str(copy)]) == 0
    assert cli.main(["ledger", "verify", "--release", str(copy)]) == 0


def test_an_unknown_assignment_is_one_sentence(made, tmp_path):
    with pytest.raises(CourseError, match="not in this release"):
        made.checks("98_other")
    with pytest.raises(CourseError, match="there is no source 98_other"):
        make_release(tmp_path / "r", 1, assignments=["98_other"], source_dir=SAMPLE_COURSE)


def test_the_gradebook_has_the_version_that_nbgrader_itself_would_record(made):
    """A gradebook of another version would be refused, or be upgraded by migrations that do not fit."""
    with _temp_alembic_ini("sqlite://") as settings:  # as nbgrader asks for it
        (own,) = ScriptDirectory.from_config(AlembicConfig(settings)).get_heads()
    with closing(sqlite3.connect(made.root / "instructor" / "gradebook.db")) as book:
        assert book.execute("SELECT version_num FROM alembic_version").fetchall() == [(own,)]
