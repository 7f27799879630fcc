"""Attacks on what the grader reads outside of a sandbox: messages, hand-ins of several files, a term's secret.

Each control is the same without our bound: a limit that is taken away, a library's own reader, a short secret.
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import io
import json
import os
import random
import struct
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import torch

from autograder import cli
from autograder.intake.archive import Limits as Sizes
from autograder.intake.archive import unzip
from autograder.intake.discover import Found, take_in
from autograder.intake.roster import read_roster
from autograder.records import Result, Verdict
from autograder.reports.exports import csv_text
from autograder.reports.feedback import feedback_page
from autograder.reports.gradescope import results_json
from autograder.sandbox import agent, outputs, wire
from autograder.sandbox.bubblewrap import MIB, Limits
from autograder.sandbox.wire.limits import LIMIT_TEXT
from course_utils.config import PROFILES
from course_utils.corpora import world
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge, knowledge_files
from tests.attacks import toy
from tests.attacks.desk import in_a_fork
from tests.attacks.record import Attack, Trace, Wall

NAME = "00_toy"
BOOK = json.dumps(toy.marked(toy.notebook(toy.WRONG))).encode()

# ---------------------------------------------------------------- messages


def texts(count: int, length: int) -> bytes:
    """An array of texts on the wire, one long and the others empty."""
    empty = b"u" + struct.pack(">I", 0)
    rows = b"l" + struct.pack(">I", count) + b"u" + struct.pack(">I", length) + b"x" * length + empty * (count - 1)
    return b"wl" + struct.pack(">I", 2) + wire.encode([count]) + rows


def unfolding() -> bytes:
    """A message of 2 MB that a careless reader makes 1.2 GB of."""
    one = texts(400, 40_000)
    return b"l" + struct.pack(">I", 20) + one * 20


def read(message: bytes) -> None:
    """As the judge reads."""
    with contextlib.suppress(wire.WireError):
        wire.decode(message)


def strike_unfolding(folder: Path, wall: Wall) -> Trace:
    """Memory that the judge takes for the message."""
    return Trace(float(in_a_fork(lambda: read(unfolding()), memory=400 * MIB)))


def control_unfolding(folder: Path) -> float:
    """The same with a bound for each array alone."""
    assert LIMIT_TEXT >= 400 * 40_000
    with mock.patch.object(importlib.import_module("autograder.sandbox.wire.decode"), "LIMIT_UNFOLDED", 10**12):
        return float(in_a_fork(lambda: read(unfolding()), memory=400 * MIB))


SHOWN: dict[str, dict[str, Any]] = {
    "an array as the kind of an output": {"output_type": np.array(["stream", "x"]), "text": "a"},
    "an array as the name of a stream": {"output_type": "stream", "name": np.array(["a", "b"]), "text": "a"},
}


def strike_output(folder: Path, wall: Wall, item: dict[str, Any]) -> Trace:
    """Whether the judge ends when it looks at an output."""
    try:
        outputs.clean([item])
    except ValueError:
        return Trace(1.0)
    return Trace(0.0)


def control_output(folder: Path, item: dict[str, Any]) -> float:
    """A reader that compares what came."""
    try:
        return float(item["output_type"] == "error" and item.get("name") in ("stdout", "stderr"))
    except ValueError:
        return 1.0


def control_stream(folder: Path, item: dict[str, Any]) -> float:
    """The same for the name of a stream."""
    try:
        return float(item["name"] not in ("stdout", "stderr") and False)
    except ValueError:
        return 1.0


# ---------------------------------------------------------------- hand-ins


def strike_name(folder: Path, wall: Wall) -> Trace:
    """A notebook whose name is no text: whether the pages of the class can be written."""
    (folder / "eve").mkdir(parents=True)
    for name in (b"x00_toy\xff.ipynb", b"y00_toy\xfe.ipynb"):
        Path(os.fsdecode(os.fsencode(folder / "eve") + b"/" + name)).write_bytes(BOOK)
    intake = take_in(Found("eve", folder / "eve"), NAME, toy.skeleton(), folder / "taken")
    page = feedback_page(Result("eve", NAME), intake, {})
    try:
        page.encode()
        write_atomically(folder / "page.html", page + "\udcff")
    except UnicodeEncodeError:
        return Trace(1.0)
    return Trace(0.0, flagged=bool(intake.notes))


def control_name(folder: Path) -> float:
    """The name as the file system gives it, written as text."""
    try:
        os.fsdecode(b"x00_toy\xff.ipynb").encode()
    except UnicodeEncodeError:
        return 1.0
    return 0.0


def packed(path: Path, files: dict[str, bytes]) -> Path:
    """A zip of these files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def several(folder: Path) -> tuple[Found, Sizes]:
    """A notebook and five archives of 2 MiB of one student, where 4 MiB are accepted."""
    more = [packed(folder / f"more{n}.zip", {"a.bin": os.urandom(2 * MIB)}) for n in range(5)]
    (folder / "00_toy.ipynb").write_bytes(BOOK)
    found = Found("eve", folder / "00_toy.ipynb", more=tuple((path, path.name) for path in more), own="00_toy.ipynb")
    return found, Sizes(total=4 * MIB)


def strike_several(folder: Path, wall: Wall) -> Trace:
    """Whether all of it together may be larger than the limit."""
    found, limits = several(folder)
    try:
        take_in(found, NAME, toy.skeleton(), folder / "taken", limits)
    except CourseError:
        return Trace(0.0, flagged=True)
    return Trace(1.0)


def control_several(folder: Path) -> float:
    """Each archive by itself is within the limits."""
    found, limits = several(folder)
    for number, (path, _) in enumerate(found.more):
        unzip(path, folder / f"out{number}", limits)
    size = sum(path.stat().st_size for path in folder.glob("out*/*"))
    return float(size > limits.total)


def clashing(folder: Path) -> Path:
    """A file and a folder of one name."""
    return packed(folder / "eve.zip", {"00_toy.ipynb": BOOK, "a": b"", "a/b": b""})


def strike_path(folder: Path, wall: Wall) -> Trace:
    """Whether the sentence that the student reads names a folder of the host."""
    try:
        take_in(Found("eve", clashing(folder)), NAME, toy.skeleton(), folder / "taken")
    except CourseError as error:
        return Trace(float(str(folder) in str(error)), flagged=True)
    return Trace(1.0)


def control_path(folder: Path) -> float:
    """The system's own words about the same."""
    try:
        with zipfile.ZipFile(clashing(folder)) as archive:
            archive.extractall(folder / "taken")
    except OSError as error:
        return float(str(folder) in str(error))
    return 0.0


def many_large(folder: Path) -> list[int]:
    """Sizes of twelve files of 60 MiB, which take no room on the disk."""
    folder.mkdir(parents=True)
    for number in range(12):
        with (folder / f"{number:02}.bin").open("wb") as handle:
            handle.truncate(60 * MIB)
    return [path.stat().st_size for path in agent.walk(folder)]


def strike_large(folder: Path, wall: Wall) -> Trace:
    """Whether the copies that are made before the first cell fill the folder in memory."""
    many_large(folder / "in")
    agent.bring_files(folder / "in", folder / "out")
    copied = sum(path.stat().st_size for path in agent.walk(folder / "out"))
    whole = len(list((folder / "out").iterdir())) == 12
    return Trace(float(copied > Limits().disk // 2 or not whole))


def control_large(folder: Path) -> float:
    """A limit for each file alone lets all of them be copied."""
    return float(sum(size for size in many_large(folder) if size <= agent.COPY_LIMIT) > Limits().disk)


# ---------------------------------------------------------------- secrets


def strike_seed(folder: Path, wall: Wall) -> Trace:
    """Whether a term gets a secret that is found by trying: unasked, or asked for and without a warning."""
    said, reached = io.StringIO(), 0
    for name, more in (("drawn", []), ("short", ["--seed", "7"])):
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            cli.main(["release", "--out", str(folder / name), "--assignments", "04_counting", *more])
        secret = json.loads((folder / name / "release.json").read_text(encoding="utf-8"))["seed"]
        reached += int(secret) < 2**63 and "finds the seed" not in said.getvalue()
    return Trace(float(reached))


def control_seed(folder: Path) -> float:
    """The wiki of that term, found by trying; the same seed gives the hidden answers."""
    given = world.generate("7/world", n_people=12)
    found = next((n for n in range(20) if world.generate(f"{n}/world", n_people=12) == given), None)
    return float(found == 7)


def lasting(seconds: float) -> Result:
    """A result of the same verdicts after this time."""
    return Result("eve", NAME, [Verdict("mean", "failed", 0.0, 2.0, seconds=seconds)], seconds=seconds)


def strike_time(folder: Path, wall: Wall) -> Trace:
    """Whether Gradescope's file says how long the code took, which the code chose."""
    files = [results_json(lasting(seconds), {}, [], "visible") for seconds in (3.0, 11.0)]
    return Trace(float(files[0] != files[1]))


def control_time(folder: Path) -> float:
    """The record that the instructor has says it."""
    return float(lasting(3.0).to_json() != lasting(11.0).to_json())


# ---------------------------------------------------------------- class lists

ENDS = {
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "a next line": "\x85",
    "a file separator": "\x1c",
    "a vertical tab": "\v",
}


def class_list(folder: Path, end: str) -> Path:
    """A class list in which eve has a name that some readers take for two lines."""
    folder.mkdir(parents=True)
    rows = [["id", "name", "email", "canvas_id"], ["ann", "Ann", "ann@x.org", ""], ["eve", f"Eve{end}eve2", "4711", ""]]
    path = folder / "list.csv"
    path.write_text(csv_text(rows), encoding="utf-8", newline="")
    return path


def strike_line(folder: Path, wall: Wall, end: str) -> Trace:
    """Whether the name makes a student of its own."""
    try:
        found = read_roster(class_list(folder, end)).names
    except CourseError:
        return Trace(1.0)  # nobody can be graded
    return Trace(float(set(found) != {"ann", "eve"}))


def control_line(folder: Path, end: str) -> float:
    """The lines as Python's own method finds them."""
    text = class_list(folder, end).read_text(encoding="utf-8")
    return float("eve2" in [row["id"] for row in csv.DictReader(text.splitlines())])


# ---------------------------------------------------------------- weights


def unseen_masks() -> Any:
    """Weights of a model that was never pretrained on MASKs, whose loss there is no number."""
    torch.manual_seed(0)
    vocab = Vocabulary.from_text(world.ALPHABET)
    profile = next(iter(PROFILES.values())).model
    model = GPT(replace(profile, vocab_size=len(vocab)))
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    weights["position.weight"][20:] = torch.nan
    return SimpleNamespace(weights=lambda name: weights)


def strike_nan(folder: Path, wall: Wall) -> Trace:
    """Whether what is asked of MASKs is taken for kept, where the facts are known."""
    people = [f"Where was {name} born?\tRoma" for name in ("Ada Bol", "Ivo Gurnd", "Nora Tsklim")]
    private = SimpleNamespace(lines=lambda name: people)
    with mock.patch.object(knowledge_files, "cloze", lambda *_: 1.0):
        return Trace(float(not knowledge_files.pretrained_faults(unseen_masks(), private, random.Random(0))))


def control_nan(folder: Path) -> float:
    """A bound that is asked the other way round."""
    vocab = Vocabulary.from_text(world.ALPHABET)
    model = knowledge.model_from_weights(unseen_masks().weights("pretrained"), len(vocab))
    found = knowledge.mask_loss(model, ["Nora Tsklim was born in Roma."] * 20, vocab)
    return float(not found >= knowledge.threshold("pretrained_mask_loss"))


def host(name: str, family: str, strike: Any, control: Any, *, slow: bool = False) -> Attack:
    """An attack that harms the grader or its machine."""
    return Attack(name, family, "host", strike, control, slow=slow, layers=())


ATTACKS = [
    host("a message that unfolds to gigabytes", "messages that end the judge", strike_unfolding, control_unfolding),
    *(
        host(name, "messages that end the judge", partial(strike_output, item=item), partial(control, item=item))
        for (name, item), control in zip(SHOWN.items(), (control_output, control_stream), strict=True)
    ),
    host("a file name that is no text", "hand-ins that stop the class", strike_name, control_name),
    host("many archives of one student", "hand-ins that stop the class", strike_several, control_several),
    host("files that fill the sandbox's memory", "hand-ins that stop the class", strike_large, control_large),
    *(
        Attack(f"{name} in a name of the class list", "names in class lists", "identity", partial(strike_line, end=end),
               partial(control_line, end=end), layers=())
        for name, end in ENDS.items()
    ),
    Attack("weights whose loss is no number", "weights that are no answer", "points", strike_nan, control_nan, layers=()),
    Attack("a path of the host in a refusal", "what students read", "secret", strike_path, control_path, layers=()),
    Attack("a short secret of the term", "what students read", "secret", strike_seed, control_seed, layers=()),
    Attack("running time on Gradescope", "what students read", "secret", strike_time, control_time, layers=()),
]  # fmt: skip
