"""What the checks of notebook 06 probe with: they run beside the student's functions and report what those did."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LEARNT = 0.05  # nats per row over a batch of 64; a model that has learned nothing has 0.69


def leaves_alone(call: Callable[..., Any], *arguments: Any) -> bool:
    """Whether the student's function changes none of its arguments in place: tensors, lists and dictionaries.

    A check in another process sends copies, so only somebody beside the function can see this.
    """
    seen = [(given, copy.deepcopy(given)) for given in arguments if isinstance(given, Tensor | list | dict)]
    call(*arguments)
    return all(torch.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a == b for a, b in seen)


def tries_elmo(
    make: Callable[..., nn.Module], loss_fn: Callable[..., Tensor], sizes: Sequence[int], ids: Tensor, steps: int = 80
) -> dict[str, Any]:
    """Train ``make(*sizes)`` on ids (B, T) with the student's own loss (Adam, 0.02); its logits (B, T, V) afterwards."""
    torch.manual_seed(0)
    model = make(*sizes)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        onwards, back, _ = model(ids)
        loss = loss_fn(onwards, back, ids, sizes[-1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        onwards, back, _ = model.eval()(ids)
    return {"first": losses[0], "last": losses[-1], "onwards": onwards, "back": back}


def damaged_twice(
    mask: Callable[..., tuple[Tensor, Tensor]], ids: Tensor, special: Sequence[int], mask_id: int, vocab_size: int,
    seed: int, rate: float,
) -> dict[str, Any]:  # fmt: skip
    """Two calls of the student's masking with one generator, one more with a second generator of the same seed.

    ``ids`` is reported as it is afterwards, since a check cannot see what happens to an argument in another process.
    """
    rng, twin = (torch.Generator().manual_seed(seed) for _ in range(2))
    mine = ids.clone()
    first = mask(mine, special, mask_id, vocab_size, rng, rate)
    untouched = mine.clone()
    second = mask(ids.clone(), special, mask_id, vocab_size, rng, rate)
    again = mask(ids.clone(), special, mask_id, vocab_size, twin, rate)
    return {"first": first, "second": second, "again": again, "ids": untouched}


def chosen_counts(
    mask: Callable[..., tuple[Tensor, Tensor]], ids: Tensor, special: Sequence[int], mask_id: int, vocab_size: int,
    seed: int, times: int,
) -> list[int]:  # fmt: skip
    """How many positions each of ``times`` calls of the student's masking chooses, by one generator."""
    rng = torch.Generator().manual_seed(seed)
    return [int((mask(ids.clone(), special, mask_id, vocab_size, rng)[1] != -100).sum()) for _ in range(times)]


class KnownReader(nn.Module):
    """A reader whose states are given beforehand, whatever it reads; it notes the segments that it was given."""

    def __init__(self, known: Tensor) -> None:
        super().__init__()
        self.known = nn.Parameter(known.clone())
        self.segments: Tensor | None = None

    def states(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T) -> the known states (B, T, D)."""
        self.segments = segments
        return self.known + 0  # a result of its own, so that no_grad around the call shows

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Logits, (B, T, D + 3): not what a classifier should read."""
        return F.pad(self.known, (0, 3))


def classified(make: Callable[..., nn.Module], known: Tensor, ids: Tensor, segments: Tensor) -> dict[str, Any]:
    """``make(reader, D)`` over known states (B, T, D): logits, logits after changes, and what reached the reader.

    ``trained`` says whether a gradient gets from the logits to the reader's state at position 0.
    """
    reader = KnownReader(known)
    model = make(reader, known.shape[-1]).eval()
    verdict = model(ids, segments)
    if isinstance(verdict, Tensor) and verdict.dim() and verdict.requires_grad:
        (verdict * torch.linspace(1, 2, verdict.shape[-1])).square().sum().backward()
    trained = reader.known.grad is not None and bool((reader.known.grad[:, 0] != 0).any())
    with torch.no_grad():
        logits = model(ids, segments)
        reader.known[:, 1:] += torch.linspace(1, 2, known.shape[-1])
        elsewhere = model(ids, segments)
        reader.known[:, 0] += torch.linspace(-1, 1, known.shape[-1])
        at_cls = model(ids, segments)
    owned = any(parameter is reader.known for parameter in model.parameters())
    found = {"logits": logits, "elsewhere": elsewhere, "at_cls": at_cls}
    return {**found, "segments": reader.segments, "owned": owned, "trained": trained}


class SmallReader(nn.Module):
    """One attention layer over words, places and segments: states (B, T, D) of ids (B, T)."""

    def __init__(self, vocab_size: int, longest: int, width: int = 32) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(vocab_size, width), nn.Embedding(longest, width)
        self.segment = nn.Embedding(2, width)
        self.layer = nn.TransformerEncoderLayer(width, 2, 2 * width, 0.0, batch_first=True, norm_first=True)

    def states(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T) -> (B, T, D)."""
        h = self.word(ids) + self.place.weight[: ids.shape[1]]
        return self.layer(h if segments is None else h + self.segment(segments))

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """As :meth:`states`."""
        return self.states(ids, segments)


def learns_side(make: Callable[..., nn.Module], seed: int, steps: int = 150, tries: int = 4) -> float:
    """Accuracy of ``make(reader, width)`` on 400 fresh rows, after a short training: is word 3 in the second segment?

    Every row has the word once, close to the border between the segments, which lies elsewhere each time: the task
    cannot be solved without segments, nor with a reader that is not trained along. About one training in fifty
    stays at chance although nothing is wrong, so up to ``tries`` are made and the best one counts.
    """
    best = 0.0
    for k in range(tries):
        best = max(best, _side_accuracy(make, tries * seed + k, steps))
        if best > 0.9:
            break
    return best


def _side_accuracy(make: Callable[..., nn.Module], seed: int, steps: int) -> float:
    """The accuracy after one training, which ends as soon as a batch is solved: of 150 steps a right answer takes 10 to 52."""
    rng = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = make(SmallReader(20, 10), 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        ids, segments, labels = _rows(64, rng)
        loss = F.cross_entropy(model(ids, segments), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < LEARNT:
            break
    ids, segments, labels = _rows(400, rng)
    with torch.no_grad():
        return float((model.eval()(ids, segments).argmax(-1) == labels).float().mean())


def _rows(n: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """n rows of 10 ids (the first is 1), their segments (n, 10), and whether word 3 stands in the second one (n,)."""
    ids = torch.randint(4, 20, (n, 10), generator=rng)
    ids[:, 0] = 1
    border = torch.randint(2, 10, (n,), generator=rng)
    segments = (torch.arange(10) >= border[:, None]).long()  # (10,) against (n, 1) -> (n, 10)
    spot = border - torch.randint(0, 2, (n,), generator=rng)  # beside the border, so that the place tells little
    ids[torch.arange(n), spot] = 3
    return ids, segments, segments[torch.arange(n), spot]
