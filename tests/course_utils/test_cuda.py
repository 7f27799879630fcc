"""What a CPU cannot show: captured, compiled and float16 trainings, generation and corruption on a GPU. Skipped without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor

from course_utils.checkpoint import load_into, load_weights, save_weights
from course_utils.config import TrainConfig
from course_utils.engine.engine import Engine
from course_utils.engine.epochs import materialise
from course_utils.engine.graph import BUCKET, WARM_UP
from course_utils.engine.history import Interrupted
from course_utils.errors import CourseError
from course_utils.generate import greedy
from course_utils.optim import make_optimizers
from course_utils.train import train, training_step
from course_utils.vocab import Vocabulary
from solutions.reference.span_corruption import corrupted_epochs
from tests.course_utils.test_engine import CONFIG, SMALL, distance, model, rows, run

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
CUDA = torch.device("cuda")
LONG = replace(CONFIG, steps=40)


def loud() -> Iterator[tuple[Tensor, Tensor]]:
    """Epochs of the same rows, narrow ones first and then in turns."""
    X, Y = rows()
    for epoch in range(99):
        yield (X, Y) if epoch % 2 else (X[:, :20], Y[:, :20])


@pytest.mark.parametrize("muon_lr", [None, 0.02])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_captured_training_equals_a_plain_one_on_a_gpu(muon_lr: float | None, dtype: torch.dtype) -> None:
    config, losses = replace(LONG, muon_lr=muon_lr), []
    for graph in (False, True):
        m = model()
        losses.append(train(m, loud(), config, progress=False, engine=Engine(CUDA, dtype, graph=graph)).loss)
    plain, captured = losses
    assert captured == pytest.approx(plain, abs=2e-3 if dtype == torch.float32 else 0.1)
    assert captured[-1] < captured[0] - 0.02


def test_replays_draw_other_dropout_and_follow_the_schedule() -> None:
    m, engine = model(dropout=0.5), Engine(CUDA, graph=True)
    engine.prepare(m)
    still = replace(CONFIG, lr=1e-12, muon_lr=None, weight_decay=0.0)
    step = partial(training_step, m, make_optimizers(m, still, graph=True), still, engine, 0)
    step = engine.capture(step, 29, 48, 0)
    x, y = (t.to(CUDA) for t in rows())
    values = [float(step(x, y)) for _ in range(WARM_UP + 4)]
    assert len(set(values)) == len(values)


def test_a_step_never_waits_for_the_gpu() -> None:
    m, engine = model(dropout=0.1), Engine(CUDA, torch.bfloat16)
    engine.prepare(m)
    optimizers = make_optimizers(m, CONFIG)
    x, y = (t.to(CUDA) for t in rows())
    training_step(m, optimizers, CONFIG, engine, 0, x, y)  # libraries start with the first
    torch.cuda.set_sync_debug_mode("error")
    try:
        training_step(m, optimizers, CONFIG, engine, 0, x, y)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("graph", [False, True])
def test_a_stopped_training_goes_on_on_a_gpu(tmp_path: Path, graph: bool) -> None:
    config, engine = replace(LONG, muon_lr=0.02), Engine(CUDA, graph=graph)
    whole = train(model(dropout=0.2), loud(), config, progress=False, engine=engine)
    stops = iter([False] * 5)

    def stop(m: object) -> float:
        if next(stops, None) is None:
            raise KeyboardInterrupt
        return 0.0

    m, keep = model(dropout=0.2), tmp_path / "state.pt"
    with pytest.raises((KeyboardInterrupt, Interrupted)), pytest.MonkeyPatch.context() as patch:
        patch.setattr("course_utils.engine.resume.KEEP_EVERY", 0.0)
        train(m, loud(), config, progress=False, engine=engine, resume=keep, evaluate=stop)
    assert keep.exists()
    resumed = train(model(9, dropout=0.2), loud(), config, progress=False, engine=engine, resume=keep)
    assert resumed.steps == whole.steps
    assert resumed.loss == pytest.approx(whole.loss, abs=5e-3)


def test_float16_trains_with_its_scaler() -> None:
    history = run(model(), Engine(CUDA, torch.float16), replace(LONG, muon_lr=None))
    assert history.loss[-1] < history.loss[0] - 0.2


def test_a_loss_that_is_not_finite_stops_a_captured_training() -> None:
    with pytest.raises(CourseError, match="lower the learning rate"):
        run(model(), Engine(CUDA, graph=True), replace(LONG, lr=1e30, muon_lr=None, clip=1e30))


def test_compiled_blocks_train_as_plain_ones() -> None:
    plain, compiled = (run(model(), Engine(CUDA, compile=c), LONG).loss for c in (False, True))
    assert compiled == pytest.approx(plain, abs=2e-3)


def test_answers_are_those_of_the_processor(tmp_path: Path) -> None:
    m = model()
    with torch.no_grad():
        m.head.weight.mul_(20)  # one token is much more probable than the next
    prompts = [[1 + (i + j) % 10 for j in range(1 + i % 30)] for i in range(600)]
    here = greedy(m, prompts, 12)[0]
    there = greedy(m.to(CUDA), prompts, 12)[0]
    assert sum(a == b for a, b in zip(here, there, strict=True)) >= 594
    vocab = Vocabulary.from_text("abcdefghi"[: SMALL.vocab_size - 2])
    save_weights(tmp_path / "w.safetensors", m, vocab)  # from the GPU, read where there is none
    again = load_into(model(5), load_weights(tmp_path / "w.safetensors")[0], tmp_path / "w.safetensors")
    assert distance(again, m.cpu()) == 0


def test_corruption_on_a_gpu_keeps_to_the_contract() -> None:
    texts = ["".join(chr(97 + (i * 7 + j) % 26) for j in range(10 + i)) for i in range(90)]
    vocab = Vocabulary.from_text("".join(texts))
    X, Y = (t.cpu() for t in next(corrupted_epochs(texts, vocab, 64, 1, CUDA)))
    assert torch.equal(X[:, 1:], Y[:, :-1])
    for text, row, last in zip(texts, X.tolist(), Y[:, -1].tolist(), strict=True):
        ids = [t for t in [*row, last] if t != vocab.pad_id]
        first, second = (i for i, t in enumerate(ids) if t == vocab.mask_id)
        kept = ids[:first] + ids[second + 1 :] + ids[first + 1 : second]
        assert text.startswith(vocab.decode(kept)) and 4 <= len(kept) <= 56


class Items:
    """More items than one process should make beside a GPU."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        s = (torch.arange(BUCKET + 1) + index) % 10 + 1
        return s[:-1], s[1:]


def test_background_processes_work_beside_a_gpu() -> None:
    torch.zeros(1, device=CUDA)
    epochs = list(materialise(Items(), 3, 2, 0, CUDA))
    assert len(epochs) == 3 and all(x.is_cuda and x.shape == (40, BUCKET) for x, _ in epochs)
    config = TrainConfig(batch_size=8, epochs=3, lr=1e-2)
    assert train(model(), Items(), config, progress=False, engine=Engine(CUDA)).steps == 15
