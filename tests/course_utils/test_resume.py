"""Nothing is lost: ten steps, a new process and ten more are twenty; fifty kills while saving; a flipped bit."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch

from course_utils.engine.state_file import load_state, save_state
from tests.paths import ROOT

KILLS = 50

TRAIN = """
import os, sys, signal, torch
sys.path.insert(0, {root!r})
from dataclasses import replace
from course_utils.config import ModelConfig, TrainConfig
from course_utils.model import GPT
from course_utils.engine.engine import Engine
from course_utils.device import DTYPES, seed_everything
from course_utils.engine.history import Interrupted
from course_utils.train import train
torch.set_num_threads(1)
stop, dtype, graph, out, state = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "graph", sys.argv[4], sys.argv[5]
seed_everything(int(sys.argv[6]))
model = GPT(ModelConfig(vocab_size=11, block_size=48, n_layer=2, n_head=2, n_embd=16, dropout=0.2))
class Items:
    rng = torch.Generator().manual_seed(0)
    drawn = 0
    def __len__(self):
        return 20
    def __getitem__(self, i):
        Items.drawn += 1
        if Items.drawn == stop:
            os.kill(os.getpid(), signal.SIGTERM)
        s = torch.randint(1, 11, (49,), generator=self.rng)
        s[int(torch.randint(4, 49, (1,), generator=self.rng)):] = 0
        return s[:-1], s[1:]
config = TrainConfig(batch_size=8, steps=20, lr=1e-2, muon_lr=0.02, seed=2)
engine = Engine(torch.device("cpu"), DTYPES[dtype], graph=graph)
try:
    history = train(model, Items(), config, progress=False, engine=engine, resume=state or None)
    torch.save([model.state_dict(), history.loss], out)
except Interrupted as stopped:
    print(stopped)
    sys.exit(7)
"""


def trained(tmp_path: Path, stop: int, dtype: str, graph: str, name: str, state: str = "", seed: int = 6) -> int:
    """Run the training in a process of its own; its exit code."""
    arguments = [str(stop), dtype, graph, str(tmp_path / name), state, str(seed)]
    code = TRAIN.format(root=str(ROOT))
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, timeout=300).returncode


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """The same training in this process, which has torch already: for trainings that need no process of their own."""
    threads, path = torch.get_num_threads(), list(sys.path)

    def run(stop: int, dtype: str, graph: str, name: str, state: str = "", seed: int = 6) -> int:
        monkeypatch.setattr(sys, "argv", ["-c", str(stop), dtype, graph, str(tmp_path / name), state, str(seed)])
        try:
            exec(compile(TRAIN.format(root=str(ROOT)), "<training>", "exec"), {"__name__": "training"})
        except SystemExit as left:
            return int(left.code or 0)
        return 0

    yield run
    torch.set_num_threads(threads)
    sys.path[:] = path


SLOW = [pytest.param(*case, marks=pytest.mark.slow) for case in (("bf16", "plain"), ("fp32", "graph"))]


@pytest.mark.parametrize(("dtype", "graph"), [("fp32", "plain"), *SLOW])
def test_ten_steps_and_a_new_process_and_ten_are_twenty_to_the_bit(
    tmp_path: Path, here: Callable[..., int], dtype: str, graph: str
) -> None:
    """Three batches an epoch of 20 items: drawing item 61 starts epoch 4, so the training stops after step 10."""
    state = str(tmp_path / "state")
    assert here(-1, dtype, graph, "whole") == 0
    assert here(61, dtype, graph, "first", state) == 7
    kept = load_state(state)
    assert kept is not None and len(kept["history"]["loss"]) == 10
    assert trained(tmp_path, -1, dtype, graph, "again", state, seed=99) == 0  # its own weights must not matter
    (weights, losses), (expected, expected_losses) = (torch.load(tmp_path / name) for name in ("again", "whole"))
    assert losses == expected_losses and len(losses) == 20
    assert all(torch.equal(weights[name], t) for name, t in expected.items())
    assert not Path(state).exists()


def _save_for_ever(path: Path, say: Connection) -> None:
    """Go on counting from the state that is there, and say each number once it is kept."""
    torch.set_num_threads(1)  # OpenMP's threads do not survive a fork
    kept = load_state(path)
    n = int(kept["n"]) if kept else 0
    while True:
        n += 1
        save_state(path, {"n": n, "tensor": torch.full((1_000_000,), float(n))})
        say.send(n)


@pytest.mark.slow  # fifty processes
@pytest.mark.skipif(sys.platform == "win32", reason="fork and signals of this kind are POSIX")
def test_fifty_kills_while_saving_lose_nothing_that_was_saved(tmp_path: Path) -> None:
    """A process that does nothing but save is killed at random moments, drawn with seed 8.

    What it said was kept must be there afterwards, whole, or a later one; and the next process goes on from it.
    """
    rng, midway, newest = random.Random(8), 0, 0
    path, context = tmp_path / "state", multiprocessing.get_context("fork")
    for kill in range(KILLS):
        hear, say = context.Pipe(duplex=False)
        process = context.Process(target=_save_for_ever, args=(path, say), daemon=True)
        process.start()
        say.close()
        assert hear.poll(60)
        deadline = time.monotonic() + rng.uniform(0, 0.06) + kill % 2  # every second one waits for a half-written file
        while time.monotonic() < deadline and not (kill % 2 and _half_written(tmp_path)):
            pass
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join(60)
        newest = max([newest, *_everything(hear)])
        state = load_state(path)
        assert state is not None and newest <= state["n"] <= newest + 1
        assert state["tensor"].eq(state["n"]).all()
        newest = int(state["n"])
        midway += _half_written(tmp_path)
    assert newest >= KILLS
    assert midway > KILLS // 5  # many kills must have hit a half-written file, or this shows nothing


def _half_written(folder: Path) -> bool:
    """Whether a save is under way, or was when its process was killed."""
    return any(p.name.startswith(".") or p.name.endswith(".new") for p in folder.iterdir())


def _everything(hear: Connection) -> list[int]:
    """All numbers that were said before the end."""
    said = []
    with suppress(EOFError):
        while True:
            said.append(hear.recv())
    return said


def test_any_flipped_bit_falls_back_to_the_state_before(tmp_path: Path) -> None:
    """Forty places drawn with seed 3, in the hash, the archive and the tensor."""
    path, rng = tmp_path / "state", random.Random(3)
    for n in (1, 2):
        save_state(path, {"n": n, "tensor": torch.full((500,), float(n))})
    whole = path.read_bytes()
    for at in [rng.randrange(32) for _ in range(8)] + [rng.randrange(len(whole)) for _ in range(32)]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        state = load_state(path)
        assert state is not None and state["n"] == 1 and state["tensor"].eq(1).all(), at
    path.write_bytes(whole)
    state = load_state(path)
    assert state is not None and state["n"] == 2


def test_a_state_goes_on_with_another_number_format(tmp_path: Path, here: Callable[..., int]) -> None:
    """A notebook that lost its GPU goes on with what is left: the loss scale of float16 has no meaning elsewhere."""
    state = str(tmp_path / "state")
    assert here(61, "bf16", "graph", "first", state) == 7
    assert here(-1, "fp32", "plain", "again", state) == 0
    assert len(torch.load(tmp_path / "again")[1]) == 20
