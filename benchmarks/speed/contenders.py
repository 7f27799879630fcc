"""The contenders of the benchmark: implementations with the same model and documents, timed on steps and answers.

The rungs are contenders that change one thing at a time, from the handout's implementation to the course's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.speed import handout, peers
from benchmarks.speed.corpus import a5_size
from benchmarks.speed.handout import MASK, PAD, HandoutGPT, ItemCorruption, Size
from course_utils.config import HANDOUT, ModelConfig, TrainConfig
from course_utils.data import Question
from course_utils.engine.engine import Engine, pick_engine
from course_utils.engine.epochs import materialise
from course_utils.generate import greedy
from course_utils.model import GPT
from course_utils.train import batches, micro_batches, train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import NameDataset
from solutions.reference.span_corruption import corrupt_batch, corrupted_epochs, corruption_table

EAGER, CAPTURED = 4, 60  # epochs of a run on a GPU, one of 1 to 8 ms a step; one captured or compiled
NEW = 32  # characters written per answer, as in the handout
Feed = Iterator[tuple[Tensor, Tensor]]


@dataclass
class Setting:
    """The text, sizes, batch and device of all contenders."""

    documents: list[str]
    questions: list[Question]
    vocab: Vocabulary
    device: torch.device
    config: TrainConfig = HANDOUT.pretrain
    size: Size = field(default_factory=Size)

    @property
    def model_config(self) -> ModelConfig:
        """The same sizes as a ModelConfig of the course."""
        s = self.size
        return ModelConfig(s.vocab_size, s.block_size, s.n_layer, s.n_head, s.n_embd, s.dropout)

    @property
    def prompts(self) -> list[list[int]]:
        """The prompts: each question and the MASK after which the answer is expected."""
        return [[*self.vocab.encode(q.text), MASK] for q in self.questions]

    @property
    def steps_per_epoch(self) -> int:
        """Batches of one epoch, the smaller last one included."""
        return -(-len(self.documents) // self.config.batch_size)

    def items(self, seed: int = 0) -> ItemCorruption:
        """The per-item dataset in plain Python."""
        stoi = {c: i for i, c in enumerate(self.vocab.itos)}
        return ItemCorruption(self.documents, stoi, self.size.block_size, seed)


def setting_for(device: torch.device, questions: int = 500) -> Setting:
    """The original assignment's size."""
    documents, _, dev, vocab = a5_size()
    return Setting(documents, dev[:questions], vocab, device, size=Size(vocab_size=len(vocab)))


@dataclass(frozen=True)
class Contender:
    """`run()` makes `steps` training steps: a whole epoch if batches differ in width, so that the mean is right."""

    run: Callable[[], object]
    steps: int
    what: str  # one line for the table
    part: Contender | None = None  # the same with fewer steps, for the profiler, which keeps every kernel


def trainers(setting: Setting, few: int, checkout: Path | None = None) -> tuple[dict[str, Contender], list[str]]:
    """The contenders of the training step by name, and a sentence for each that is skipped.

    `few` is how many steps a contender makes per round whose steps all cost the same.
    """
    found = rungs(setting, few) | ours(setting)
    skipped = []
    for name, make in optional(setting, few, checkout).items():
        try:
            found[name] = make()
        except peers.Missing as missing:
            skipped.append(f"{name}: {missing}")
    return found, skipped


def rungs(setting: Setting, few: int) -> dict[str, Contender]:
    """The contenders from (a) on, each with one more change, which its name says; (a') is the third."""
    lr, epoch = setting.config.lr, setting.steps_per_epoch

    def model(fused: bool) -> HandoutGPT:
        return HandoutGPT(setting.size, fused).to(setting.device)

    def handouts(fused: bool, fixed: bool) -> Contender:
        m, feed = model(fused), handout.batches(setting.items(), setting.config.batch_size)
        what = "materialised attention, fp32, rows as wide as the block, per item, .item() each step"
        if fused:
            what = "+ fused attention"
        if fixed:
            what = "+ batches trimmed to their longest row, no .item(): the handout with its one-line fixes"
        return Contender(partial(handout.train_steps, m, feed, few, lr, fixed), few, what)

    def sorted_rows(vectorised: bool) -> Contender:
        m, source = model(True), _epochs(setting, vectorised)
        what = "+ corruption of all documents at once" if vectorised else "+ rows of similar length together"
        return Contender(lambda: _one_epoch(m, source, setting), epoch, what)

    return {
        "(a) handout": handouts(False, False),
        "fused attention": handouts(True, False),
        "(a') trimmed": handouts(True, True),
        "length-sorted": sorted_rows(False),
        "vectorised corruption": sorted_rows(True),
    }


def ours(setting: Setting) -> dict[str, Contender]:
    """`course_utils.train` as a student calls it, in float32 and in the format picked here; on a GPU also as CUDA graph."""
    best = pick_engine(setting.device)
    engines = {"ours, fp32": Engine(setting.device)}
    if best.dtype != torch.float32:
        engines[f"ours, {str(best.dtype).removeprefix('torch.')}"] = best
    if setting.device.type == "cuda" and best.dtype != torch.float16:
        engines["ours, CUDA graph"] = replace(best, graph=True)
        engines["ours, compiled blocks"] = replace(best, compile=True)
        engines["ours, compiled and graph"] = replace(best, graph=True, compile=True)

    def contender(name: str, engine: Engine) -> Contender:
        m = GPT(setting.model_config)
        source = corrupted_epochs(setting.documents, setting.vocab, setting.size.block_size, 0, setting.device)
        # a run begins with what a training does once; as in a training of 650 epochs that shall weigh little
        epochs = CAPTURED if engine.graph or engine.compile else EAGER if setting.device.type == "cuda" else 1
        what = f"the course's own training loop, {name.split(', ')[1]}"

        def of(epochs: int, part: Contender | None = None) -> Contender:
            steps = epochs * setting.steps_per_epoch
            config = replace(setting.config, epochs=None, steps=steps)
            run = partial(train, m, source, config, progress=False, engine=engine)
            return Contender(run, steps, what, part)

        return of(epochs, of(2))

    def per_item() -> Contender:
        m, config = GPT(setting.model_config), replace(setting.config, epochs=None, steps=setting.steps_per_epoch)
        run = partial(train, m, setting.items(), config, progress=False, engine=best)
        return Contender(
            run, setting.steps_per_epoch, "the same fed by the plain per-item dataset, made in this process"
        )

    return {name: contender(name, engine) for name, engine in engines.items()} | {"ours, per item": per_item()}


def optional(setting: Setting, few: int, checkout: Path | None) -> dict[str, Callable[[], Contender]]:
    """Peers that may be missing; building one raises peers.Missing."""
    batch, lr, device = setting.config.batch_size, setting.config.lr, setting.device

    def hugging_face() -> Contender:
        m = peers.hf_gpt2(setting.size).to(device)
        run = partial(peers.hf_trainer, m, setting.items(), batch, few, lr, device)
        return Contender(run, few, "transformers GPT-2 and Trainer, fused attention")

    def lightning() -> Contender:
        peers.need("lightning")
        m = HandoutGPT(setting.size, fused=True).to(device)
        run = partial(peers.lightning_fit, m, setting.items(), batch, few, lr, device)
        return Contender(run, few, "Lightning's Trainer around the model with fused attention")

    def karpathy(path: Path) -> Contender:
        m = peers.checkout_model(path, setting.size).to(device)
        run = partial(peers.checkout_steps, m, setting.items(), batch, few, lr)
        return Contender(run, few, f"the checkout {path.name}, its own loop")

    found: dict[str, Callable[[], Contender]] = {"(b) Hugging Face": hugging_face, "(c) Lightning": lightning}
    if checkout is not None:
        found["(d) checkout"] = partial(karpathy, checkout)
    return found


def _epochs(setting: Setting, vectorised: bool) -> Feed:
    """Whole epochs X, Y (N, T), made item by item or for all documents at once."""
    if vectorised:
        return corrupted_epochs(setting.documents, setting.vocab, setting.size.block_size, 0, setting.device)
    return (pair for i in count() for pair in materialise(setting.items(i), 1, 0, i, setting.device))


def _one_epoch(model: HandoutGPT, source: Feed, setting: Setting) -> None:
    """The handout's step on trimmed, length-sorted batches."""
    X, Y = next(source)
    optimiser = torch.optim.AdamW(model.parameters(), lr=setting.config.lr, betas=(0.9, 0.95), weight_decay=0.1)
    model.train()
    for x, y in batches(X, Y, replace(setting.config, micro_batches=1), 0):
        F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=PAD).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()


# ---------------------------------------------------------------------------------------------------- evaluation


def answerers(setting: Setting, one_by_one: int) -> tuple[dict[str, Contender], list[str]]:
    """Contenders for answering the questions; `steps` counts questions. (a) answers the first `one_by_one` of them.

    All have the same weights, of a model that has learned to end its answers, as in a real evaluation: an implementation
    that stops at the end is faster, and the handout's loop does not stop.
    """
    prompts = setting.prompts
    mine = taught(setting)
    theirs = twin(mine, setting.size)
    found = {
        "(a) handout": Contender(
            partial(handout.sample_one_by_one, theirs, prompts[:one_by_one], NEW), one_by_one, "one question at a time"
        ),
        "(a') same length": Contender(
            partial(handout.sample_by_length, theirs, prompts, NEW), len(prompts), "questions of equal length together"
        ),
        "ours": Contender(
            partial(greedy, mine, prompts, NEW, (MASK, PAD)), len(prompts), "all at once, keys and values kept"
        ),
    }
    try:
        hf = peers.hf_twin(mine, setting.size)
        run = partial(peers.hf_generate, hf, prompts, NEW, MASK)
        found["(b) Hugging Face"] = Contender(run, len(prompts), "batched generate with its cache")
    except peers.Missing as missing:
        return found, [f"(b) Hugging Face: {missing}"]
    return found, []


def taught(setting: Setting, steps: int = 20) -> GPT:
    """A model after a few steps on the questions: its answers are mostly wrong, but have the right form and end."""
    torch.manual_seed(0)
    model = GPT(setting.model_config)
    config = TrainConfig(batch_size=64, steps=steps, lr=2e-3, warmup=0.1)
    dataset = NameDataset(setting.questions, setting.vocab, setting.size.block_size)
    train(model, dataset, config, progress=False, engine=pick_engine(setting.device))
    return model


def twin(model: GPT, size: Size) -> HandoutGPT:
    """The handout's model with the same weights, which must give the same answers."""
    other = HandoutGPT(size).to(next(model.parameters()).device).eval()
    names = {"token.weight": "tokens.weight", "position.weight": "positions"}
    state = {names.get(name, name): t for name, t in model.state_dict().items()}
    state["positions"] = state["positions"][None]  # (T, D) -> (1, T, D)
    other.load_state_dict(state)
    return other


def agreement(setting: Setting, questions: int = 40) -> float:
    """Share (0..1) of answers that are equal, character by character, from ours and from one by one; in float32.

    Weights are random but large enough that the most probable character is much more probable than the next, as after training.
    """
    torch.manual_seed(0)
    model = GPT(setting.model_config).to(setting.device).eval()
    with torch.no_grad():
        model.head.weight.mul_(20)
    prompts = setting.prompts[:questions]
    expected = handout.sample_one_by_one(twin(model, setting.size), prompts, NEW)
    got = greedy(model, prompts, NEW, (MASK, PAD))[0]
    return sum(a == b for a, b in zip(got, expected, strict=True)) / len(prompts)


# ----------------------------------------------------------------------------------------------------- corruption


def corrupters(setting: Setting, few: int = 3, many: int = 100) -> dict[str, Contender]:
    """Contenders for corrupting batches, each as in its training; `steps` counts batches.

    Ours corrupts a whole epoch at once; the last one a single batch.
    """
    batch, T = setting.config.batch_size, setting.size.block_size
    feed = handout.batches(setting.items(), batch)
    source = corrupted_epochs(setting.documents, setting.vocab, T, 0, setting.device)
    table, lengths = (t.to(setting.device) for t in corruption_table(setting.documents, setting.vocab, T))
    generator = torch.Generator(setting.device).manual_seed(0)

    def one_by_one() -> None:
        for _ in range(few):
            next(feed)

    def at_once() -> None:
        for _ in range(4):
            next(source)

    def batch_alone() -> None:
        for _ in range(many):
            rows = torch.randint(len(table), (batch,), generator=generator, device=table.device)
            corrupt_batch(table, lengths, T, generator, rows)

    return {
        "(a) handout": Contender(one_by_one, few, "one document at a time"),
        "ours": Contender(at_once, 4 * setting.steps_per_epoch, "all documents at once, as in training"),
        "ours, a batch alone": Contender(batch_alone, many, "the documents of one batch at once"),
    }


def widths(setting: Setting) -> dict[str, float]:
    """The content of a batch: share of real targets in full-width rows and in ours, and mean tokens per batch.

    On a GPU ours stays whole, as wide as its longest row.
    """
    X, Y = next(corrupted_epochs(setting.documents, setting.vocab, setting.size.block_size, 0))
    whole = list(batches(X, Y, setting.config, 0))
    pieces = 1 if setting.device.type == "cuda" else setting.config.micro_batches
    trimmed = [piece for x, y in whole for piece in micro_batches(x, y, pieces)]
    real = float(Y.ne(PAD).sum())
    held = sum(x.numel() for x, _ in trimmed)
    by_length = sum(x.numel() for x, _ in batches(X, Y, replace(setting.config, micro_batches=1), 0))
    return {
        "real_share_full": real / Y.numel(),
        "real_share_trimmed": real / held,
        "tokens_full": setting.config.batch_size * setting.size.block_size,
        "tokens_trimmed": held / len(whole),
        "tokens_sorted": by_length / len(whole),
        "real_tokens": real / len(whole),
    }
