"""The engine room: several processes equal one, captured steps equal plain ones, Muon equals torch's, forecasts hold."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from course_utils.config import LAPTOP, ModelConfig, TrainConfig
from course_utils.engine import engine as runtime
from course_utils.engine.engine import Engine, pick_engine
from course_utils.engine.graph import Captured
from course_utils.engine.history import History
from course_utils.engine.processes import ProcessGroup
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.notebook.forecast import batch_shapes, forecast, preflight, row_lengths
from course_utils.optim import Muon, make_optimizers, orthogonalise, product_format
from course_utils.train import train
from tests.paths import ROOT

SMALL = ModelConfig(vocab_size=11, block_size=48, n_layer=2, n_head=2, n_embd=16)
CONFIG = TrainConfig(batch_size=8, steps=12, lr=1e-2, muon_lr=0.02, seed=4, clip=0.3)


def rows(n: int = 29, seed: int = 3) -> tuple[Tensor, Tensor]:
    """n rows of random tokens and random length; 29 rows in batches of 8 leave a last batch of 5."""
    g = torch.Generator().manual_seed(seed)
    s = torch.randint(1, 11, (n, 49), generator=g)
    lengths = torch.randint(3, 48, (n, 1), generator=g)
    s[torch.arange(49)[None] > lengths] = 0
    return s[:, :-1].contiguous(), s[:, 1:].contiguous()


def model(seed: int = 1, dropout: float = 0.0) -> GPT:
    torch.manual_seed(seed)
    return GPT(replace(SMALL, dropout=dropout))


def run(m: GPT, engine: Engine, config: TrainConfig = CONFIG, n: int = 29) -> History:
    data = iter([rows(n)] * 99)
    return train(m, data, config, progress=False, engine=engine)


def distance(a: nn.Module, b: nn.Module) -> float:
    """Largest difference of any weight; keys' biases have no gradient but rounding, which AdamW blows up to a step."""
    pairs = zip(a.named_parameters(), b.parameters(), strict=True)
    return max(float((p - q).detach().abs().max()) for (name, p), q in pairs if "key.bias" not in name)


# ----------------------------------------------------------------------------------------------------- torchrun

CHILD = """
import json, sys, torch
sys.path.insert(0, {root!r})
from tests.course_utils.test_engine import CONFIG, model, run
from course_utils.engine.engine import pick_engine
from dataclasses import replace
torch.set_num_threads(1)
engine = pick_engine("cpu", "fp32")
m = model(seed=1 + engine.processes.rank)          # only the first process's weights may count
history = run(m, engine, replace(CONFIG, muon_lr=None), {n})
torch.save([dict(m.named_parameters()), history.loss], {out!r} + str(engine.processes.rank))
"""


def torchrun(code: str, processes: int = 2) -> None:
    """The same code in several processes, with the variables that torchrun sets."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    common = os.environ | {"WORLD_SIZE": str(processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    started = [
        subprocess.Popen([sys.executable, "-c", code], env=common | {"RANK": str(r), "LOCAL_RANK": str(r)})
        for r in range(processes)
    ]
    assert [p.wait(240) for p in started] == [0] * processes


# 29 rows leave a last batch of five, 25 one of one row: the second process has none.
@pytest.mark.parametrize("n", [25, pytest.param(29, marks=pytest.mark.slow)])
def test_two_processes_equal_one_with_the_same_batch(tmp_path: Path, n: int) -> None:
    torchrun(CHILD.format(root=str(ROOT), out=str(tmp_path / "rank"), n=n))
    alone = model()
    history = run(alone, pick_engine("cpu", "fp32"), replace(CONFIG, muon_lr=None), n)
    results = [torch.load(tmp_path / f"rank{r}") for r in (0, 1)]
    for weights, losses in results:
        assert losses == pytest.approx(history.loss, abs=1e-6)
        for name, p in alone.named_parameters():
            if "key.bias" not in name:
                assert torch.allclose(weights[name], p, atol=1e-6, rtol=0), name
    assert all(torch.equal(a, b) for a, b in zip(*(r[0].values() for r in results), strict=True))


LEFT = """
import atexit, os, sys
sys.path.insert(0, {root!r})
import torch.distributed as dist
atexit.register(lambda: dist.is_initialized() and os._exit(3))  # asked first, so called last
from course_utils.engine.processes import join_process_group
group = join_process_group()
assert dist.is_initialized() and group.gather(group.rank) == [0, 1]
"""


@pytest.mark.slow  # two processes that equal one end well too, in the quick test above
def test_a_process_leaves_the_group_before_it_ends() -> None:
    """The group's threads that still run when a process ends abort it: seen in 8 of 18 runs, under some loads never."""
    torchrun(LEFT.format(root=str(ROOT)))


def test_a_mean_of_the_processes_means_would_be_seen() -> None:
    """The control of the test above: rows differ in length, so weighing processes alike moves the weights by far more."""
    team = ProcessGroup(0, 2)
    Y = rows(8)[1]
    counts = [int(Y[r::2].ne(0).sum()) for r in (0, 1)]
    assert team.shard(Y).equal(Y[0::2]) and abs(counts[0] - counts[1]) > 10


@pytest.mark.slow
def test_a_killed_team_goes_on_together(tmp_path: Path) -> None:
    """Both processes stop when one is asked to, and take up the same step with their own random numbers."""
    code = """
import sys, torch, os, signal
sys.path.insert(0, {root!r})
from tests.course_utils.test_engine import CONFIG, model, rows, train
from course_utils.engine.engine import pick_engine
from course_utils.engine.history import Interrupted
torch.set_num_threads(1)
engine = pick_engine("cpu", "fp32")
def epochs(stop):
    for i in range(99):
        if stop and i == 2 and engine.processes.rank == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        yield rows()
def go(stop, path):
    m = model(dropout=0.3)
    history = train(m, epochs(stop), CONFIG, progress=False, engine=engine, resume=path)
    return [p.detach() for p in m.parameters()], history.loss
try:
    go(True, {out!r} + "state")
    sys.exit(5)
except Interrupted:
    pass
resumed, whole = go(False, {out!r} + "state"), go(False, None)
assert resumed[1] == whole[1] and all(a.equal(b) for a, b in zip(resumed[0], whole[0])), engine.processes.rank
"""
    torchrun(code.format(root=str(ROOT), out=str(tmp_path) + "/"))
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------------------------------------- captured step


@pytest.mark.parametrize(("muon_lr", "atol"), [(None, 1e-5), (0.02, 1e-3)])  # Muon rounds directions to bfloat16
def test_a_captured_training_equals_a_plain_one(muon_lr: float | None, atol: float) -> None:
    plain, captured, config = model(), model(), replace(CONFIG, muon_lr=muon_lr)
    expected = run(plain, Engine(torch.device("cpu")), config)
    got = run(captured, Engine(torch.device("cpu"), graph=True), config)
    assert got.loss == pytest.approx(expected.loss, abs=atol)
    assert distance(plain, captured) < 10 * atol


class Recorder:
    """A step that tells what it was given."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.places: set[int] = set()

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        self.shapes.append(tuple(x.shape))
        self.places.add(x.data_ptr())
        return x.sum() + 100 * y.sum()


def test_batches_reach_fixed_places_in_few_shapes() -> None:
    step = Recorder()
    captured = Captured(step, torch.device("cpu"), rows=4, widest=48, pad=0)
    for width in (5, 32, 33, 48, 7, 1):
        for height in (4, 2):
            x = torch.full((height, width), 3)
            assert captured(x, x + 1) == height * width * (3 + 400)  # nothing of the batch before is left
    assert set(step.shapes) == {(4, 32), (4, 48)} and len(step.places) == 2
    assert set(captured.replays) == {32, 48}
    x = torch.full((4, 50), 3)  # a later epoch may be wider than the first
    assert captured(x, x + 1) == 4 * 50 * (3 + 400)


def test_the_rate_of_a_captured_step_is_read_at_every_step() -> None:
    m = model()
    groups = [g for o in make_optimizers(m, CONFIG, graph=True) for g in o.param_groups]
    assert all(isinstance(g["lr"], Tensor) and g["top_lr"] in (CONFIG.lr, CONFIG.muon_lr) for g in groups)
    places = [g["lr"].data_ptr() for g in groups]
    run_rates: list[list[float]] = []

    class Spy(Engine):
        def step(self, optimizers):
            kept = [g for o in optimizers for g in o.param_groups]
            run_rates.append([float(g["lr"]) for g in kept])
            super().step(optimizers)

    for graph in (False, True):
        run(model(), Spy(torch.device("cpu"), graph=graph))
    assert run_rates[:12] == [pytest.approx(r) for r in run_rates[12:]] and run_rates[0] != run_rates[5]
    assert len(places) == len(set(places))


def test_a_step_reads_nothing_back_from_the_device() -> None:
    """What a graph cannot do: forward, loss, backward and clipping run on tensors that have no values."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    from course_utils.model import loss

    with FakeTensorMode() as fake:
        m = GPT(SMALL).train()
        x = torch.zeros(4, 32, dtype=torch.long)
        value = loss(m(x), x)
        value.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        muon = Muon([p for p in m.blocks.parameters() if p.ndim == 2], torch.tensor(0.1))
        muon.step()
        with pytest.raises(Exception, match=r"item|data-dependent|local_scalar"):  # and the trap would have been seen
            float(value.detach())
    assert fake is not None


def test_compiling_is_an_option_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[nn.Module] = []
    monkeypatch.setattr(nn.Module, "compile", lambda self: asked.append(self))
    m = model()
    Engine(torch.device("cpu")).prepare(m)
    assert asked == []
    Engine(torch.device("cpu"), compile=True).prepare(m)
    assert asked == list(m.blocks)


@pytest.mark.parametrize(
    ("dtype", "team", "graph"), [("fp32", 1, True), ("bf16", 1, True), ("fp16", 1, False), ("bf16", 2, False)]
)
@pytest.mark.filterwarnings("ignore:.*GradScaler")
def test_who_gets_a_graph(monkeypatch: pytest.MonkeyPatch, dtype: str, team: int, graph: bool) -> None:
    monkeypatch.setenv("COURSE_GRAPH", "1")
    monkeypatch.setattr(runtime, "join_process_group", lambda: ProcessGroup(0, team))
    monkeypatch.setattr(runtime, "pick_device", lambda name: torch.device("cuda:0"))
    assert pick_engine("auto", dtype).graph == graph
    monkeypatch.delenv("COURSE_GRAPH")
    assert not pick_engine("auto", dtype).graph


def test_a_variable_overrules_the_choice_of_format_and_no_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DTYPE", "bf16")
    assert pick_engine("cpu").dtype == torch.bfloat16 and pick_engine("cpu", "fp32").dtype == torch.float32
    monkeypatch.setenv("COURSE_DTYPE", "fp23")
    with pytest.raises(CourseError, match="no number format 'fp23'"):
        pick_engine("cpu")


# ------------------------------------------------------------------------------------------------------------ Muon


@pytest.mark.parametrize("rate", [float, torch.tensor], ids=["number", "tensor"])
def test_muon_takes_the_steps_of_torchs_own(
    rate: Callable[[float], float | Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    monkeypatch.setattr("course_utils.optim.product_format", lambda _: torch.bfloat16)  # torch's only one
    mine = [nn.Parameter(torch.randn(s)) for s in [(8, 8), (32, 8), (8, 32), (8, 8), (5, 7)]]
    theirs = [nn.Parameter(p.detach().clone()) for p in mine]
    ours = Muon(mine, lr=rate(0.02), weight_decay=0.1)
    torchs = torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1)
    for _ in range(6):
        for p, q in zip(mine, theirs, strict=True):
            p.grad = torch.randn_like(p)
            q.grad = p.grad.clone()
        ours.step()
        torchs.step()
        for p, q in zip(mine, theirs, strict=True):
            assert torch.allclose(p, q, atol=1e-4), p.shape  # the direction is a bfloat16: 2e-2 * 2**-8


def test_orthogonalised_matrices_keep_their_directions() -> None:
    torch.manual_seed(1)
    x = torch.randn(3, 6, 20)
    y = orthogonalise(x).float()
    assert y.shape == x.shape
    u, _, v = torch.linalg.svd(x, full_matrices=False)
    middle = u.mT @ y @ v.mT  # (3, 6, 6): nearly diagonal, entries of 0.7 .. 1.2
    assert (middle.diagonal(dim1=1, dim2=2) > 0.6).all() and (middle.diagonal(dim1=1, dim2=2) < 1.3).all()
    assert (middle - torch.diag_embed(middle.diagonal(dim1=1, dim2=2))).abs().max() < 0.1


@pytest.mark.parametrize(("bf16", "size", "expected"), [
    (True, 128, torch.bfloat16), (True, 64, torch.float32), (False, 128, torch.float32), (False, 64, torch.float32),
])  # fmt: skip
def test_sixteen_bits_are_used_only_where_they_pay(
    bf16: bool, size: int, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course_utils.device.cpu_bf16_pays", lambda: bf16)
    monkeypatch.delenv("COURSE_DTYPE", raising=False)
    assert product_format(torch.ones(1, size, 2 * size)) == expected == product_format(torch.ones(1, 2 * size, size))
    monkeypatch.setenv("COURSE_DTYPE", "fp32")
    assert product_format(torch.ones(1, size, 2 * size)) == torch.float32


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_every_format_gives_the_same_direction(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(2)
    x, found = scale * torch.randn(2, 24, 40), {}
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        monkeypatch.setattr("course_utils.optim.product_format", lambda _, dtype=dtype: dtype)
        found[dtype] = orthogonalise(x).float()
    assert 0.7 < found[torch.float32].square().mean() * 40 < 1.5  # 24 singular values about 1 in 24·40 entries
    for dtype, atol in ((torch.bfloat16, 0.03), (torch.float16, 0.004)):
        assert (found[dtype] - found[torch.float32]).abs().max() < atol, dtype


def test_matrices_without_a_gradient_stay() -> None:
    p, q = nn.Parameter(torch.ones(4, 4)), nn.Parameter(torch.ones(4, 4))
    p.grad = torch.randn(4, 4)
    Muon([p, q], 0.1).step()
    assert q.equal(torch.ones(4, 4)) and not p.equal(torch.ones(4, 4))


# ------------------------------------------------------------------------------------------------------- preflight


def test_a_forecast_adds_up_the_batches_it_will_meet() -> None:
    """Seconds that are known: 0.1 + 0.01 per column, and a slow first step of each width."""
    seen: dict[int, int] = {}

    def probe(width: int) -> float:
        seen[width] = seen.get(width, 0) + 1
        return 50.0 if seen[width] == 1 else 0.1 + 0.01 * width

    config = TrainConfig(batch_size=2, epochs=10)
    shapes = batch_shapes([3, 40, 7, 20, 9, 33, 5], config, 48)
    assert shapes == [(2, 5), (2, 9), (2, 33), (1, 40)]
    got = forecast(shapes, config, probe, seconds=1.0, memory_mib=lambda: 12.5)
    assert got.steps == 40 and set(seen) == {5, 33, 40} and min(seen.values()) >= 2
    assert got.minutes * 60 == pytest.approx(10 * sum(r / 2 * (0.1 + 0.01 * w) for r, w in shapes))
    assert got.memory_mib == 12.5 and "40 steps" in str(got)
    pieces = batch_shapes(list(range(1, 13)), replace(config, batch_size=6, micro_batches=3), 48)
    assert [rows for rows, _ in pieces] == [2] * 6
    assert all(a <= b <= c for (_, a), (_, b), (_, c) in (pieces[:3], pieces[3:])) and max(w for _, w in pieces) == 12
    assert len(batch_shapes(list(range(1, 13)), replace(config, batch_size=6, micro_batches=3), 48, whole=True)) == 2


def test_rows_have_lengths_and_impossible_ones_are_told() -> None:
    X = rows()[0]
    assert row_lengths(X) == X.ne(0).sum(1).tolist()
    profile = replace(LAPTOP, model=SMALL, pretrain=CONFIG)
    for lengths, words in (
        ({"pretrain": []}, "empty"),
        ({"pretrain": [49]}, "longer"),
        ({"train": [4]}, "no training"),
    ):
        with pytest.raises(CourseError, match=words):
            preflight(profile, lengths, 11)


def test_asking_leaves_the_random_numbers_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    profile = replace(LAPTOP, model=SMALL, pretrain=CONFIG)
    got = preflight(profile, {"pretrain": [4, 9]}, 11, seconds=0.2)
    assert torch.rand(3).equal(expected) and got["pretrain"].steps == CONFIG.steps


@pytest.mark.slow
def test_a_forecast_is_within_a_quarter_of_the_training() -> None:
    """Time and memory of 120 steps, in this process's own seconds: what others do on the machine is not foreseen."""
    X, Y = rows(400)
    config = TrainConfig(batch_size=64, steps=120, lr=1e-3, muon_lr=0.02)
    profile = replace(LAPTOP, model=replace(SMALL, n_embd=128, n_head=4), pretrain=config)
    lengths, engine, clock = {"pretrain": row_lengths(X)}, pick_engine("cpu"), time.process_time
    told = preflight(profile, lengths, 11, engine=engine, seconds=3.0, clock=clock)["pretrain"]
    start = clock()
    train(GPT(replace(profile.model, vocab_size=11)), iter([(X, Y)] * 99), config, progress=False, engine=engine)
    taken, memory = clock() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert told.minutes * 60 == pytest.approx(taken, rel=0.25)
    assert told.memory_mib == pytest.approx(memory, rel=0.25)
