"""Start-up and memory, each contender in a process of its own: seconds from nothing to the end of the first step.

python -m benchmarks.speed.startup "(a) handout" cpu 2       # what a child does
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

from benchmarks.paths import ROOT


def startup(device: str, threads: int) -> dict[str, Any]:
    """Seconds and peak memory (MiB) by contender; those that are not installed are left out."""
    names = ["(a) handout", "(a') trimmed", "ours, fp32", "ours", "(b) Hugging Face", "(c) Lightning"]
    found = {}
    for name in names:
        start = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks.speed.startup", name, device, str(threads)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        taken = time.perf_counter() - start
        if done.returncode == 0:
            found[name] = json.loads(done.stdout.splitlines()[-1]) | {"startup_s": taken}
        elif done.returncode != 3:
            raise RuntimeError(f"{name}: {done.stderr}")
    return found


def first_step(name: str, device: str, threads: int) -> dict[str, Any]:
    """Build one contender, make its first step on a full batch, and tell the peak memory."""
    import torch

    from benchmarks.speed.contenders import optional, ours, rungs, setting_for
    from benchmarks.speed.measure import peak_memory, synchronize

    torch.set_num_threads(threads)
    setting = setting_for(torch.device(device))
    if name.startswith("ours"):
        wide = sorted(setting.documents, key=len)[-setting.config.batch_size :]  # one batch, the widest
        setting.documents = wide
        contenders = ours(setting)
        contender = contenders[name] if name in contenders else list(contenders.values())[-1]
    elif name in (builders := optional(setting, 1, None)):
        contender = builders[name]()
    else:
        contender = rungs(setting, 1)[name]
    contender.run()
    synchronize(setting.device)
    return {"peak_mib": peak_memory(setting.device)}


def main() -> int:
    """One contender; 3 if it is not installed."""
    from benchmarks.speed.peers import Missing

    try:
        print(json.dumps(first_step(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
