"""The training loop: what a step does, what a batch holds, and going on after an interruption to the last bit."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from course_utils.config import ModelConfig, TrainConfig
from course_utils.device import seed_everything
from course_utils.engine import resume as resume_module
from course_utils.engine.engine import pick_engine
from course_utils.engine.history import History, Interrupted
from course_utils.engine.stop import stop_signal
from course_utils.errors import CourseError
from course_utils.model import GPT, loss
from course_utils.optim import lr_scale, make_optimizers
from course_utils.train import batches, micro_batches, train

SMALL = ModelConfig(vocab_size=11, block_size=16, n_layer=2, n_head=2, n_embd=16)
CONFIG = TrainConfig(batch_size=8, epochs=3, lr=1e-2, muon_lr=0.02, seed=4)


class Counting:
    """Items `a a+1 a+2 …` of random length; drawn anew at each call from its own generator."""

    def __init__(self, n: int = 30) -> None:
        self.n, self.rng = n, torch.Generator().manual_seed(0)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        start, length = torch.randint(0, 10, (2,), generator=self.rng).tolist()
        s = torch.zeros(17, dtype=torch.long)
        s[: length + 4] = 1 + (start + torch.arange(length + 4)) % 10
        return s[:-1], s[1:]


def model(dropout: float = 0.0, seed: int = 1) -> GPT:
    torch.manual_seed(seed)
    return GPT(replace(SMALL, dropout=dropout))


def epochs(count: int = 99) -> Iterator[tuple[Tensor, Tensor]]:
    data = Counting()
    for _ in range(count):
        items = [data[i] for i in range(len(data))]
        yield torch.stack([x for x, _ in items]), torch.stack([y for _, y in items])


def quiet(*args: object, **options: object) -> History:
    options = {"engine": pick_engine("cpu", "fp32")} | options
    return train(*args, progress=False, **options)  # type: ignore[arg-type]


def test_one_step_of_adamw_equals_the_step_written_out() -> None:
    ours, plain = model(), model()
    X, Y = next(epochs())
    config = TrainConfig(batch_size=len(X), steps=1, lr=3e-3, clip=0.05, warmup=0.0, schedule="constant")
    history = quiet(ours, iter([(X, Y)]), config)
    value = loss(plain(X), Y)
    value.backward()
    assert nn.utils.clip_grad_norm_(plain.parameters(), 0.05) > 0.05  # the clip has something to do
    decayed = [p for p in plain.parameters() if p.ndim == 2]
    others = [p for p in plain.parameters() if p.ndim < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95)).step()
    assert history.loss == pytest.approx([value.item()], rel=1e-5)
    for (name, a), b in zip(ours.named_parameters(), plain.parameters(), strict=True):
        if "key.bias" not in name:  # its gradient is rounding noise, which AdamW blows up to a whole step
            assert torch.allclose(a, b, atol=2e-5), name


@pytest.mark.parametrize("muon_lr", [None, 0.02])
def test_the_loss_falls_far_below_chance(muon_lr: float | None) -> None:
    history = quiet(model(), Counting(), replace(CONFIG, epochs=30, muon_lr=muon_lr))
    assert history.steps == 30 * 4
    assert history.loss[0] > 2.2  # ln 10 = 2.30
    assert sum(history.loss[-4:]) / 4 < 0.8


def test_muon_gets_the_hidden_matrices_and_adamw_all_else() -> None:
    m = model()
    adamw, muon = make_optimizers(m, CONFIG)
    ids = {id(p): n for n, p in m.named_parameters()}
    in_muon = {ids[id(p)] for g in muon.param_groups for p in g["params"]}
    assert len(in_muon) == 2 * 6 and all(n.startswith("blocks.") and n.endswith("weight") for n in in_muon)
    in_adamw = [ids[id(p)] for g in adamw.param_groups for p in g["params"]]
    assert sorted([*in_muon, *in_adamw]) == sorted(ids.values())
    m.token.requires_grad_(False)
    assert "token.weight" not in {ids[id(p)] for g in make_optimizers(m, CONFIG)[0].param_groups for p in g["params"]}


def test_a_frozen_part_stays_as_it_was() -> None:
    m = model()
    m.token.requires_grad_(False)
    before, moving = m.token.weight.clone(), m.head.weight.clone()
    quiet(m, Counting(), CONFIG)
    assert torch.equal(m.token.weight, before) and not torch.equal(m.head.weight, moving)


def test_every_row_comes_once_trimmed_and_with_rows_of_its_length() -> None:
    X, Y = next(epochs())
    Y[0] = 0
    X[0, 5:] = 0  # a row whose targets are all padding still has a length
    seen = list(batches(X, Y, CONFIG, epoch=0))
    assert [len(x) for x, _ in seen].count(8) == 3 and sum(len(x) for x, _ in seen) == 30
    for x, y in seen:
        assert (x[:, -1] != 0).any() or (y[:, -1] != 0).any()  # not wider than the longest row
    rows = sorted(tuple(row.tolist()) + (0,) * (16 - len(row)) for x, _ in seen for row in x)
    assert rows == sorted(tuple(row) for row in X.tolist())
    spread = sorted((int((x != 0).sum(1).min()), int((x != 0).sum(1).max())) for x, _ in seen)
    assert all(a[1] <= b[0] for a, b in pairwise(spread))


def test_batches_differ_between_epochs_and_repeat_with_the_seed() -> None:
    X, Y = next(epochs())

    def order(seed: int, epoch: int) -> list[list[int]]:
        return [x[:, 0].tolist() for x, _ in batches(X, Y, replace(CONFIG, seed=seed), epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1) and order(1, 0) != order(2, 0)


def test_the_schedule_goes_up_to_one_and_down_to_its_end() -> None:
    linear = TrainConfig(batch_size=1, steps=100, warmup=0.1, final=0.2)
    scales = [lr_scale(s, 100, linear) for s in range(100)]
    assert scales[:10] == pytest.approx([0.1 * k for k in range(1, 11)])
    assert scales[10] == 1.0 and scales[55] == pytest.approx(0.6) and 0.2 < scales[99] < 0.21
    assert all(b <= a for a, b in pairwise(scales[9:]))
    cosine = replace(linear, schedule="cosine")
    assert lr_scale(55, 100, cosine) == pytest.approx(0.6) and lr_scale(32, 100, cosine) > scales[32]
    assert lr_scale(99, 100, replace(linear, schedule="constant")) == 1.0
    assert all(0 < lr_scale(s, 3, replace(linear, steps=3)) <= 1 for s in range(3))


def test_evaluate_is_asked_after_every_epoch_in_evaluation_mode() -> None:
    modes = []

    def evaluate(m: nn.Module) -> float:
        modes.append(m.training)
        return len(modes) / 10

    trained = model()
    history = quiet(trained, Counting(), replace(CONFIG, epochs=None, steps=10), evaluate=evaluate)
    assert history.accuracy == [0.1, 0.2, 0.3]  # 4 + 4 + 2 steps
    assert modes == [False] * 3 and not any(module.training for module in trained.modules())


class StopAt(Counting):
    """Sends this process a signal when a certain item is drawn, as a person would."""

    def __init__(self, item: int, number: int) -> None:
        super().__init__()
        self.item, self.number, self.drawn = item, number, 0

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        self.drawn += 1
        if self.drawn == self.item:
            os.kill(os.getpid(), self.number)
        return super().__getitem__(i)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_training_goes_on_to_the_last_bit(tmp_path: Path, number: int) -> None:
    whole = model(dropout=0.3)
    torch.manual_seed(7)
    expected = quiet(whole, Counting(), CONFIG, evaluate=lambda m: 0.5)
    state, broken = tmp_path / "deep" / "state", model(dropout=0.3)
    torch.manual_seed(7)
    with pytest.raises(Interrupted, match="stopped after step 5 of 12"):
        quiet(broken, StopAt(35, number), CONFIG, evaluate=lambda m: 0.5, resume=state)
    torch.manual_seed(99)  # another process: other random numbers, other weights
    again = model(dropout=0.3, seed=50)
    history = quiet(again, Counting(), CONFIG, evaluate=lambda m: 0.5, resume=state)
    assert history.loss == expected.loss and history.accuracy == expected.accuracy
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True))
    assert list(state.parent.iterdir()) == []  # the state has served


def test_a_killed_training_goes_on_from_the_last_kept_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, killed, again = model(dropout=0.3), model(dropout=0.3), model(seed=9, dropout=0.3)
    torch.manual_seed(7)
    expected = quiet(whole, Counting(), CONFIG)
    monkeypatch.setattr(resume_module, "KEEP_EVERY", -1.0)

    def power_cut(m: nn.Module) -> float:
        raise SystemError("lights out")

    torch.manual_seed(7)
    with pytest.raises(SystemError):
        quiet(killed, Counting(), CONFIG, evaluate=power_cut, resume=tmp_path / "s")
    history = quiet(again, Counting(), CONFIG, resume=tmp_path / "s")
    assert history.loss == expected.loss
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True))


def test_a_state_of_another_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        quiet(model(), StopAt(35, signal.SIGINT), CONFIG, resume=tmp_path / "s")
    for change in ({"config": replace(CONFIG, lr=1e-3)}, {"tag": "other data"}):
        options = {"config": CONFIG, "resume": tmp_path / "s"} | change
        with pytest.raises(CourseError, match="another training"):
            quiet(model(), Counting(), **options)
    assert quiet(model(), Counting(), CONFIG, resume=tmp_path / "s").steps == 12


def test_signals_are_given_back_and_a_second_one_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stop_signal() as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(1)
    assert signal.getsignal(signal.SIGINT) is before


def test_training_works_outside_the_main_thread() -> None:
    results: list[History] = []
    thread = threading.Thread(target=lambda: results.append(quiet(model(), Counting(), CONFIG)))
    thread.start()
    thread.join()
    assert results[0].steps == 12


def test_what_cannot_be_trained_on_is_told_in_a_sentence() -> None:
    with pytest.raises(CourseError, match="ended after 2 of them"):
        quiet(model(), epochs(2), CONFIG)
    with pytest.raises(CourseError, match="one shape"):
        quiet(model(), iter([(torch.ones(3, 4), torch.ones(3, 5))]), CONFIG)
    broken = model()
    with torch.no_grad():
        broken.head.weight.fill_(float("inf"))
    with pytest.raises(CourseError, match="lower the learning rate"):
        quiet(broken, Counting(), CONFIG)


def test_bfloat16_training_learns_too_and_keeps_float32_weights() -> None:
    m = model()
    history = quiet(m, Counting(), replace(CONFIG, epochs=30), engine=pick_engine("cpu", "bf16"))
    assert sum(history.loss[-4:]) / 4 < 0.9
    assert {p.dtype for p in m.parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("device", "dtype", "words"),
    [
        ("cpu", "fp64", "no number format"),
        ("cpu", "fp16", "does not train"),
        ("cuda:77", "auto", "does not exist"),
        ("tpu9", "auto", "does not exist"),
    ],
)
def test_engines_this_machine_lacks(device: str, dtype: str, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        pick_engine(device, dtype)


def test_seeding_reaches_all_generators() -> None:
    import random

    import numpy as np

    def draw() -> tuple[float, float, float]:
        seed_everything(5)
        return random.random(), np.random.rand(), torch.rand(1).item()

    assert draw() == draw()


@pytest.mark.parametrize(
    ("gpu", "capability", "cpu_bf16", "dtype"),
    [
        (True, (9, 0), False, torch.bfloat16),
        (True, (8, 0), False, torch.bfloat16),
        (True, (7, 5), True, torch.float16),  # a T4 only imitates bfloat16, and says yes when asked
        (False, (0, 0), True, torch.bfloat16),
        (False, (0, 0), False, torch.float32),
    ],
)
@pytest.mark.filterwarnings("ignore:.*GradScaler")
def test_the_number_format_follows_the_machine(
    monkeypatch: pytest.MonkeyPatch, gpu: bool, capability: tuple[int, int], cpu_bf16: bool, dtype: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    monkeypatch.setattr("course_utils.device.cpu_bf16_pays", lambda: cpu_bf16)
    assert pick_engine().dtype == dtype


def test_a_batch_in_pieces_takes_the_same_step_as_the_batch_whole() -> None:
    """Gradients are summed over the tokens of all pieces, so only the order of additions differs."""
    X, Y = next(epochs())
    found = []
    for count in (1, 3):
        m = model().double()
        config = TrainConfig(batch_size=len(X), steps=1, lr=3e-3, micro_batches=count, warmup=0.0, schedule="constant")
        history = quiet(m, iter([(X, Y)]), config)
        found.append((history.loss[0], torch.cat([p.detach().flatten() for p in m.parameters()])))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-6)
    assert torch.allclose(found[0][1], found[1][1], atol=1e-6)


def test_pieces_are_of_similar_length_and_batches_are_not() -> None:
    X, Y = next(epochs())
    config = replace(CONFIG, batch_size=10, micro_batches=5)
    whole = list(batches(X, Y, config, 0))
    assert sorted(
        map(tuple, torch.cat([torch.nn.functional.pad(y, (0, 16 - y.shape[1])) for _, y in whole]).tolist())
    ) == sorted(map(tuple, Y.tolist()))
    for x, y in whole:
        cut = list(micro_batches(x, y, 5))
        widths = [px.shape[1] for px, _ in cut]
        assert widths == sorted(widths) and widths[0] < widths[-1] == x.shape[1] and [len(p) for p, _ in cut] == [2] * 5
        assert sum(int(py.ne(0).sum()) for _, py in cut) == int(y.ne(0).sum())
    spread = [x.ne(0).sum(1).float().std() for x, _ in whole]
    grouped = [x.ne(0).sum(1).float().std() for x, _ in batches(X, Y, replace(config, micro_batches=1), 0)]
    assert sum(grouped) < 0.5 * sum(spread)
    with pytest.raises(CourseError, match="micro_batches"):
        replace(CONFIG, micro_batches=0)
