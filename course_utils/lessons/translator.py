"""The translator of notebook 02: embeddings, positions and head around the student's two layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm.auto import trange

from course_utils.checks.answers import answer_key
from course_utils.checks.handed import KEY
from course_utils.checks.handin import Handin
from course_utils.corpora.numbers import PAD, SOURCE_LENGTH, SOURCE_SIZE, TARGET_LENGTH, WORDS, number_tensors
from course_utils.engine.files import write_atomically
from course_utils.lessons.blocks import canonical_weights, load_canonical
from course_utils.notebook.session import being_graded

WIDTH, HEADS, HIDDEN = 64, 4, 128


class Translator(nn.Module):
    """Digits to words with one encoder and one decoder layer; both layers are built by the classes passed in.

    ``encoder_layer(d_model, heads, d_ff)`` is called with ``(x, source_mask)``, ``decoder_layer`` with
    ``(y, memory, source_mask)``; ``source_mask`` is True at real digits, (B, 1, 1, Ls).
    """

    def __init__(self, encoder_layer: Callable[..., nn.Module], decoder_layer: Callable[..., nn.Module]) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(SOURCE_SIZE, WIDTH)
        self.source_position = nn.Embedding(SOURCE_LENGTH, WIDTH)
        self.target_embedding = nn.Embedding(len(WORDS), WIDTH)
        self.target_position = nn.Embedding(TARGET_LENGTH, WIDTH)
        self.encoder = encoder_layer(WIDTH, HEADS, HIDDEN)
        self.decoder = decoder_layer(WIDTH, HEADS, HIDDEN)
        self.head = nn.Linear(WIDTH, len(WORDS))

    @staticmethod
    def mask(source: Tensor) -> Tensor:
        """True where a key is a digit and not PAD."""
        return (source != PAD)[:, None, None, :]  # (B, Ls) -> (B, 1, 1, Ls)

    def encode(self, source: Tensor) -> Tensor:
        """Digit ids (B, Ls) -> memory (B, Ls, D)."""
        x = self.source_embedding(source) + self.source_position.weight[: source.shape[1]]
        return self.encoder(x, self.mask(source))

    def decode(self, words: Tensor, memory: Tensor, source: Tensor) -> Tensor:
        """Word ids (B, T) and the encoder's memory (B, Ls, D) -> logits of each next word (B, T, V)."""
        y = self.target_embedding(words) + self.target_position.weight[: words.shape[1]]
        return self.head(self.decoder(y, memory, self.mask(source)))

    def forward(self, source: Tensor, words: Tensor) -> Tensor:
        """Teacher forcing: logits (B, T, V) for all positions at once."""
        return self.decode(words, self.encode(source), source)


def train_translator(
    model: nn.Module, loss_of: Callable[..., Tensor], numbers: list[int], steps: int = 1500, batch: int = 64,
    lr: float = 2e-3, seed: int = 0,
) -> list[float]:  # fmt: skip
    """Train in place with Adam, 100 steps of warm-up, then linearly down to 2 % of ``lr``; return the loss of every step.

    ``loss_of(model, source, tag, target)`` is a scalar; ``seed`` fixes the batches.
    """
    source, tag, target = number_tensors(numbers)
    rng = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: min((t + 1) / 100, max(0.02, 1 - t / steps)))
    losses = []
    model.train()
    for _ in trange(steps, desc="training", mininterval=1.0):
        rows = torch.randint(len(source), (batch,), generator=rng)
        loss = loss_of(model, source[rows], tag[rows], target[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    model.eval()
    return losses


def kept_translator(
    path: Path,
    build: Callable[[], nn.Module],
    loss_of: Callable[..., Tensor],
    numbers: list[int],
    made_by: Sequence[str],
) -> nn.Module | None:
    """The translator saved in ``path`` if the notebook's present code made it, else a new one, trained and saved.

    While a submission is graded the file is taken as it is, and without one there is no translator: None.

    Args:
        build: makes a translator with fresh weights.
        loss_of, numbers: see :func:`train_translator`.
        made_by: names of the notebook whose code makes the weights; its key is kept with them.
    """
    torch.manual_seed(0)
    model, about = build(), f"numbers {KEY}{answer_key(made_by)}"
    if path.is_file() and (being_graded() or Handin(path.parent).notes(path.name).get("corpus") == about):
        load_translator(model, path)
        print(f"loaded from {path.name}; delete that file to train anew")
        return model
    if being_graded():
        print(f"({path.name} was not handed in, and grading does not train.)")
        return None
    if path.is_file():
        print(f"({path.name} was made by other code: the translator is trained anew.)")
    losses = train_translator(model, loss_of, numbers)
    save_translator(model, path, about)
    print(f"loss {losses[0]:.2f} -> {sum(losses[-50:]) / 50:.4f} nats per word; kept in {path.name}")
    return model


def save_translator(model: nn.Module, path: Path, about: str = "") -> None:
    """Write the weights under the course's names as safetensors, atomically, with what they belong to."""
    from safetensors.torch import save

    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: value.contiguous() for name, value in canonical_weights(model).items()}
    write_atomically(path, save(tensors, {"corpus": about}))


def load_translator(model: nn.Module, path: Path) -> None:
    """Read what :func:`save_translator` wrote into ``model``, in place."""
    from safetensors.torch import load_file

    load_canonical(model, load_file(str(path)))
    model.eval()
