"""What a Dask worker does: start one process that judges one submission. Standard library alone, sent by value.

A worker needs no package of ours on its path: the process finds the checkout, which must lie there under the same path.
A process of its own, since workers are daemons of their nanny and may not have children of multiprocessing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def judged(root: str, paths: list[str], parcel: bytes, wall: float) -> str:
    """Judge the submission in a parcel and return the answer as JSON.

    Args:
        root: the checkout.
        paths: where Python looks for modules.
        parcel: made by ``dask.parcel``.
        wall: seconds.
    """
    if not Path(root).is_dir():
        where = f"{root} is not on the worker {os.uname().nodename}; make the course visible there under the same path"
        return json.dumps({"state": "error", "reason": where})
    with tempfile.TemporaryDirectory(prefix="judge-") as scratch:
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
