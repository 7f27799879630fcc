"""What a Dask worker does: start one process that judges one submission. Standard library alone, sent by value.

A worker needs Python with the course's packages, and nothing of ours: grader and release come as a kit, which is unpacked
once and found again by its hash. A process of its own, since workers are daemons of their nanny and may not have children
of multiprocessing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

PLACES = 9  # folders that are tried


def same(kit: bytes) -> bytes:
    """The kit as it is: a task's result, which Dask makes again where the worker that had it is gone."""
    return kit


def judged(kit: bytes, paths: list[str], parcel: bytes, wall: float) -> str:
    """Judge the submission in a parcel and return the answer as JSON.

    Args:
        kit: made by ``dask.kit_of``.
        paths: where Python looks for further modules.
        parcel: made by ``dask.parcel``.
        wall: seconds.
    """
    try:
        root = unpacked(kit)
    except (OSError, zipfile.BadZipFile) as error:
        where = f"the worker {os.uname().nodename} cannot unpack the course ({error}); give it room, or another TMPDIR"
        return json.dumps({"state": "error", "reason": where})
    sweep()
    prefix = f"judge-{os.uname().nodename}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as scratch:
        (Path(scratch) / "parcel").write_bytes(parcel)
        command = [sys.executable, "-m", "autograder.grading.remote", scratch, str(os.getpid())]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=wall
            )
        except subprocess.TimeoutExpired:
            return json.dumps({"state": "timeout", "reason": f"not finished after {wall:.0f} s"})
        answer = Path(scratch) / "answer.json"
        if answer.exists():
            return answer.read_text(encoding="utf-8")
        last = done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1][:200]
        reason = f"the judge's process ended (exit code {done.returncode}) {last}".strip()
        return json.dumps({"state": "dead", "reason": reason})


def sweep() -> None:
    """Remove what workers of this machine that were killed had in hand: students' work does not stay here."""
    for folder in Path(tempfile.gettempdir()).glob(f"judge-{os.uname().nodename}-*"):
        worker = folder.name.rsplit("-", 2)[1]
        if worker.isdigit() and not Path(f"/proc/{worker}").exists() and folder.lstat().st_uid == os.geteuid():
            shutil.rmtree(folder, ignore_errors=True)


def unpacked(kit: bytes) -> Path:
    """The folder of this kit on this machine; unpacked at the first call, by whichever worker comes first.

    A folder that lost files (systems clear their temporary folders) is left to those who still work in it.

    Raises:
        OSError: no room, or the folder's name is taken by another account, whose files are not run.
        BadZipFile: the kit is damaged.
    """
    name = f"course-{os.geteuid()}-{hashlib.sha256(kit).hexdigest()[:32]}"
    for turn in range(PLACES):
        place = _placed(kit, Path(tempfile.gettempdir()) / (f"{name}-{turn}" if turn else name))
        if _whole(kit, place):
            return place
    raise OSError(f"{place} and others lose files; clear them")


def _whole(kit: bytes, place: Path) -> bool:
    """Whether every file of the kit lies there as it was."""
    with zipfile.ZipFile(io.BytesIO(kit)) as archive:
        try:
            return all(zlib.crc32((place / one.filename).read_bytes()) == one.CRC for one in archive.infolist())
        except OSError:
            return False


def _placed(kit: bytes, place: Path) -> Path:
    if not place.exists():
        aside = Path(tempfile.mkdtemp(prefix="course-"))  # for this account alone: hidden answers are in it
        try:
            with zipfile.ZipFile(io.BytesIO(kit)) as archive:
                archive.extractall(aside)
            aside.rename(place)
        except OSError:
            if not place.exists():  # else another worker was faster
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    about = place.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o022:
        raise PermissionError(f"{place} belongs to somebody else")
    return place
