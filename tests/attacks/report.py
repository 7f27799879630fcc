"""Files and cells that stop the report of a whole class, which the instructor's own process makes.

Each control is a reader without bounds, or the library for colours as it comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from autograder.grading import similar
from autograder.reports.feedback import code_html
from autograder.sandbox.bubblewrap import MIB
from tests.attacks.desk import in_a_fork
from tests.attacks.office import host
from tests.attacks.record import Trace, Wall


def weights(header: bytes, body: bytes = b"") -> bytes:
    """A safetensors file."""
    return len(header).to_bytes(8, "little") + header + body


def overlapping() -> bytes:
    """Eighty tensors that claim the same 8 MiB."""
    one = {"dtype": "F32", "shape": [2 * MIB], "data_offsets": [0, 8 * MIB]}
    return weights(json.dumps({f"t{n}": one for n in range(80)}).encode(), b"\0" * (8 * MIB))


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a header of six million lists": ("m.safetensors", lambda: weights(b'{"a":[' + b"[]," * 6_000_000 + b"[]]}")),
    "eighty tensors in one place": ("m.safetensors", overlapping),
    "a hundred million empty lines": ("p.txt", lambda: b"\n" * 100_000_000),
}
ROOM = 300 * MIB


def placed(folder: Path, name: str, make: Callable[[], bytes]) -> Path:
    """The folder of a hand-in with this file."""
    folder.mkdir(parents=True)
    (folder / name).write_bytes(make())
    return folder


def strike_report(folder: Path, wall: Wall, name: str, make: Callable[[], bytes]) -> Trace:
    """Memory that the search for equal work takes."""
    works = {"eve": similar.Work({}, set(), placed(folder / "files", name, make))}
    return Trace(float(in_a_fork(lambda: similar.similar(works, {}), memory=ROOM)))


def careless(path: Path) -> None:
    """Read a file as it asks to be read."""
    data = path.read_bytes()
    if path.suffix == ".txt":
        data.decode().splitlines()
        return
    size = int.from_bytes(data[:8], "little")
    tensors = [one for one in json.loads(data[8 : 8 + size]).values() if type(one) is dict]
    places = [one["data_offsets"] for one in tensors]
    np.concatenate([np.zeros(0, np.float32), *(np.frombuffer(data[8 + size :][a:b], np.float32) for a, b in places)])


def control_report(folder: Path, name: str, make: Callable[[], bytes]) -> float:
    """Memory of a reader without bounds."""
    path = placed(folder / "files", name, make) / name
    return float(in_a_fork(lambda: careless(path), memory=ROOM))


UNENDING = "'\\N{" * 40_000


def control_colours(folder: Path) -> float:
    """Time of the library for the same cell."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return float(in_a_fork(lambda: highlight(UNENDING, PythonLexer(), HtmlFormatter())))


ATTACKS = [
    *(
        host(words, "files that stop the report", partial(strike_report, name=name, make=make),
             partial(control_report, name=name, make=make), slow=True)
        for words, (name, make) in FILES.items()
    ),
    host("a cell that takes minutes to colour", "files that stop the report",
         lambda folder, wall: Trace(float(in_a_fork(lambda: code_html(UNENDING)))), control_colours, slow=True),
]  # fmt: skip
