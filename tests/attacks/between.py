"""Attacks where two parts meet: names that one part takes and another does not, copies that are read in another form,
displays that a parser reads for minutes, and an answer whose number type chooses how exactly it is compared.

Each control is the same without our rule: the library as it comes, a comparison of bytes, the type that the answer has.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import nh3
import numpy as np
import torch

from autograder.grading import backup
from autograder.grading.dask import parcel
from autograder.grading.similar import Work, added_code, similar
from autograder.grading.worker import Task
from autograder.intake.discover import Found, take_in
from autograder.intake.rebuild import read_notebook, rebuild
from autograder.pages.inert import inert_data
from autograder.records import Job
from course_utils.checks.agree import COARSE, close
from course_utils.checks.asking import Reference, call
from course_utils.checks.compare import difference
from course_utils.checks.draws import Case
from course_utils.checks.trials import Trial
from course_utils.errors import CourseError
from tests.attacks import toy
from tests.attacks.desk import in_a_fork
from tests.attacks.office import BOOK, NAME, host
from tests.attacks.record import Attack, Trace, Wall
from tests.autograder.tiny_course import LONG

# ---------------------------------------------------------------- names of files

NAMES = {
    "a file whose name is no text stops the backup": b"notes \xff.txt",
    "a file with a backslash in its name stops the backup": b"notes\\more.txt",
    "a file that is named like the half of a write is lost in the backup": b"model.next",
    "a hidden file is lost in the backup": b".notes.txt",
}


def with_file(folder: Path, name: bytes) -> Found:
    """A hand-in as a folder, with a file of this name."""
    place = folder / "eve" / "work" / NAME
    place.mkdir(parents=True)
    (folder / "eve" / f"{NAME}.ipynb").write_bytes(BOOK)
    Path(os.fsdecode(os.fsencode(place) + b"/" + name)).write_bytes(b"mine")
    return Found("eve", folder / "eve")


def strike_backup(folder: Path, wall: Wall, name: bytes) -> Trace:
    """Whether a backup with the files of students cannot be made, or lacks this one."""
    found, root = with_file(folder, name), folder / "release"
    take_in(found, NAME, toy.skeleton(), root / backup.HANDED_IN / NAME / "eve")
    try:
        backup._write(SimpleNamespace(root=root, id="r1"), folder / "b.zip", (0, ""), handed_in=True)  # type: ignore[arg-type]
    except (CourseError, ValueError):
        return Trace(1.0)
    with zipfile.ZipFile(folder / "b.zip") as archive:
        return Trace(float(b"mine" not in [archive.read(one) for one in archive.namelist()]))


def control_backup(folder: Path, name: bytes) -> float:
    """The file as it was handed in, under the backup's own rules for the names in a release."""
    with_file(folder, name)
    place = next((folder / "eve" / "work" / NAME).iterdir())
    if backup.PASSING.search(place.name):
        return 1.0
    try:
        with zipfile.ZipFile(io.BytesIO(), "w") as archive:
            archive.write(place, place.name)
            backup._compare(place, archive, backup.Backup("r1", "", 0, "", {place.name: ""}))
    except (CourseError, ValueError):
        return 1.0
    return 0.0


DEPTH = 1_200


def deep(folder: Path) -> Path:
    """A hand-in of folders in folders, deeper than Python goes."""
    with_file(folder, b"a.txt")
    before = Path.cwd()
    os.chdir(folder / "eve")
    try:
        for _ in range(DEPTH):
            Path("a").mkdir()
            os.chdir("a")
    finally:
        os.chdir(before)
    return folder / "eve"


def removed(folder: Path) -> None:
    """Remove such folders, which Python's own way cannot."""
    subprocess.run(["rm", "-rf", folder], check=True)


def strike_deep(folder: Path, wall: Wall, take: Callable[[Path, Path], object]) -> Trace:
    """Whether reading the hand-in ends in another way than by a sentence for this student."""
    eve = deep(folder)
    try:
        take(eve, folder)
    except CourseError:
        return Trace(0.0, flagged=True)
    except RecursionError:
        return Trace(1.0)
    finally:
        removed(eve)
    return Trace(1.0)


def control_deep(folder: Path) -> float:
    """The standard library's walk over the same folder."""
    eve = deep(folder)
    try:
        list(eve.rglob("*"))
    except RecursionError:
        return 1.0
    finally:
        removed(eve)
    return 0.0


def sent(eve: Path, folder: Path) -> object:
    """As the grader reads it for another machine, in its own process."""
    job = Job("eve", NAME, {}, folder, {}, folder, folder)
    return parcel(Task(Found("eve", eve), NAME, {}, job, folder, folder, "", 0, ""))


def taken(eve: Path, folder: Path) -> object:
    """As it is taken in here."""
    return take_in(Found("eve", eve), NAME, toy.skeleton(), folder / "dest")


DOTS = "...zip"  # without its ending it is the folder above


def strike_outside(folder: Path, wall: Wall) -> Trace:
    """Whether the parts of one of several archives come to lie where only the grader writes."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "x_1_2_more.zip", "w") as archive:
        archive.writestr("escaped", b"x")
        archive.writestr("files/escaped", b"x")
    (folder / "x_1_3_book.ipynb").write_bytes(BOOK)
    found = Found("x_1", folder / "x_1_3_book.ipynb", more=((folder / "x_1_2_more.zip", DOTS),), own=f"{NAME}.ipynb")
    taken = take_in(found, NAME, toy.skeleton(), folder / "dest")
    inside = [path.is_relative_to(taken.files) for path in (folder / "dest").rglob("escaped")]
    return Trace(float(not inside or not all(inside)))


def control_outside(folder: Path) -> float:
    """The archive's name without its ending, as a folder."""
    return float(not Path(os.path.normpath(folder / Path(DOTS).stem)).is_relative_to(folder))


# ---------------------------------------------------------------- displays

DISPLAYS = {
    "folders of boxes in a display": "<div>" * 120_000,
    "boxes in a display with ends that end nothing": "<div></x>" * 100_000,
    "lists in lists in a display": "<ul><li>" * 60_000,
    "two hundred thousand attributes of one tag": "<b " + " ".join(f"a{n:x}" for n in range(200_000)) + ">",
}


def strike_display(folder: Path, wall: Wall, text: str) -> Trace:
    """Processor time for one output, which the judge, the gradebook and the formgrader read one after the other."""
    return Trace(float(in_a_fork(lambda: inert_data({"text/html": text}))))


def control_display(folder: Path, text: str) -> float:
    """Time of the library for the same text."""
    return float(in_a_fork(lambda: nh3.clean(text)))


# ---------------------------------------------------------------- copies

ANSWERS = {name: LONG.replace("attention", name) for name in ("one", "two", "three", "four")}


def in_cells(change: Callable[[str], str]) -> Mapping[str, str]:
    """The answers, changed, in cells of their own exercise."""
    return {name: change(text) for name, text in ANSWERS.items()}


COPIED: dict[str, Callable[[str], str]] = {
    "a statement that does nothing": lambda text: text.replace("    weights", "    pass\n    weights", 1),
    "a number that stands alone": lambda text: text.replace("    weights", "    0\n    weights", 1),
    "a name that stands alone": lambda text: text.replace("    weights", "    scores\n    weights", 1),
    "an import that is not needed": lambda text: "import math\n" + text,
    "a name that nobody reads": lambda text: text + "\nunused = 1\n",
    "a line of IPython, and comments": lambda text: (
        "%matplotlib inline\n" + text.replace("    weights", "    # w\n    weights", 1)
    ),
    "a line that measures the cell": lambda text: "%%time\n" + text,
}


def named(mine: Work, theirs: Work) -> bool:
    """Whether the two are named, in a class of a dozen others."""
    others = {f"s{n}": Work({}, set()) for n in range(12)}
    return ("ann", "eve") in [one.students for one in similar({**others, "ann": mine, "eve": theirs}, {})]


def strike_copy(folder: Path, wall: Wall, change: Callable[[str], str]) -> Trace:
    """Whether four answers of somebody else's, changed like this, are not named."""
    mine, theirs = (Work(in_cells(one), set(ANSWERS)) for one in (change, str))
    return Trace(float(not named(mine, theirs)))


def control_copy(folder: Path, change: Callable[[str], str]) -> float:
    """A comparison of texts."""
    return float(not set(in_cells(change).values()) & set(ANSWERS.values()))


def strike_elsewhere(folder: Path, wall: Wall, where: str) -> Trace:
    """Whether answers are not named that stand in a cell of their own, or in a file that the notebook imports."""
    works = []
    for who in ("ann", "eve"):
        book, files = toy.marked(toy.notebook(toy.WRONG)), folder / who
        files.mkdir(parents=True)
        if where == "cell":
            book["cells"].append(toy.code_cell("mine", "\n".join(ANSWERS.values())))
        else:
            (files / "mine.py").write_text("\n".join(ANSWERS.values()))
        built, _ = rebuild(toy.skeleton(), read_notebook(json.dumps(book).encode(), NAME), NAME)
        works.append(Work({}, set(), files, added_code(built, files)))
    return Trace(float(not named(*works)))


def control_elsewhere(folder: Path, where: str) -> float:
    """The answer cells alone."""
    return float(not named(Work({}, set()), Work({}, set())))


Tensors = Mapping[str, tuple[str, np.ndarray]]
MODEL: Tensors = {"w": ("F32", np.random.default_rng(0).normal(size=(60, 50)).astype(np.float32))}
WIDER: Tensors = {"w": ("F64", MODEL["w"][1].astype(np.float64))}
FORMS: dict[str, Tensors] = {
    "weights as 64-bit numbers": WIDER,
    "weights with one more tensor": {**MODEL, "more": ("F32", np.ones(40, np.float32))},
    "weights with a tensor of no numbers": {**MODEL, "more": ("F32", np.full(40, np.nan, np.float32))},
    "weights as 16-bit numbers": {"w": ("BF16", (MODEL["w"][1].view(np.uint32) >> 16).astype(np.uint16))},
}


def saved(path: Path, tensors: Tensors) -> Path:
    """A safetensors file."""
    header, body = {}, b""
    for name, (kind, values) in tensors.items():
        data = values.tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def strike_weights(folder: Path, wall: Wall, form: Tensors) -> Trace:
    """Whether somebody else's model in this form is not named."""
    paths = [saved(folder / who / "m.safetensors", one) for who, one in (("ann", MODEL), ("eve", form))]
    return Trace(float(not named(*(Work({}, set(), path.parent) for path in paths))))


def control_weights(folder: Path, form: Tensors) -> float:
    """A comparison of the files' bytes."""
    paths = [saved(folder / who / "m.safetensors", one) for who, one in (("ann", MODEL), ("eve", form))]
    return float(len({hashlib.sha256(path.read_bytes()).digest() for path in paths}) == 2)


# ---------------------------------------------------------------- number types

WANTED = torch.linspace(0.1, 1.0, 10, dtype=torch.float64)
TYPES = {
    "a table that is 2 % wrong, in bfloat16": torch.bfloat16,
    "a table that is 0.4 % wrong, in float16": torch.float16,
}
SETTINGS = Case((10, 1.0))  # an exercise whose arguments are numbers: the answer chooses its type


def wrong(kind: torch.dtype) -> torch.Tensor:
    """The table with an error that this type's own tolerance would allow."""
    return (WANTED * (1 + 0.7 * COARSE[kind])).to(kind)


def strike_type(folder: Path, wall: Wall, kind: torch.dtype) -> Trace:
    """Whether it is taken for right where six digits are asked for."""
    trial = Trial(0, SETTINGS, call("table"), close(1e-6), WANTED)
    return Trace(float(trial.run(Reference({"table": lambda *_: wrong(kind)})).kept))


def control_type(folder: Path, kind: torch.dtype) -> float:
    """The tolerance of the type that the answer has."""
    return float(difference(wrong(kind), WANTED, (COARSE[kind], COARSE[kind])) is None)


def like(name: str, strike: Callable[..., Trace], control: Callable[..., float]) -> Attack:
    """An attack of somebody who hands in another's work."""
    return Attack(name, "copies in another form", "identity", strike, control, layers=())


ATTACKS = [
    *(
        host(name, "names of files", partial(strike_backup, name=raw), partial(control_backup, name=raw))
        for name, raw in NAMES.items()
    ),
    host("an archive that is named by dots", "names of files", strike_outside, control_outside),
    host("deep folders, sent to another machine", "hand-ins that stop the class", partial(strike_deep, take=sent), control_deep),
    host("deep folders, taken in", "hand-ins that stop the class", partial(strike_deep, take=taken), control_deep),
    *(
        host(name, "displays that are read for minutes", partial(strike_display, text=text),
             partial(control_display, text=text), slow=True)
        for name, text in DISPLAYS.items()
    ),
    *(like(name, partial(strike_copy, change=change), partial(control_copy, change=change)) for name, change in COPIED.items()),
    *(
        like(f"answers in {words}", partial(strike_elsewhere, where=where), partial(control_elsewhere, where=where))
        for words, where in (("a cell that was added", "cell"), ("a file that is imported", "file"))
    ),
    *(like(name, partial(strike_weights, form=form), partial(control_weights, form=form)) for name, form in FORMS.items()),
    *(
        Attack(name, "types that choose a tolerance", "points", partial(strike_type, kind=kind),
               partial(control_type, kind=kind), layers=())
        for name, kind in TYPES.items()
    ),
]  # fmt: skip
