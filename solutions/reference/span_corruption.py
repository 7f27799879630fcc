"""Span corruption with one span of characters: one item at a time, and the same distribution for a whole batch at once.

Source: Raffel et al. 2020, "Exploring the limits of transfer learning", section 3.1.4, simplified to a single span whose
content follows at the end: ``prefix MASK suffix MASK content PAD…``. Letters: T block size, B items, L kept length.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from course_utils.errors import CourseError
from course_utils.vocab import Vocabulary

SHORTEST = 4  # characters that are kept at least, where the document has them


def longest_kept(block_size: int) -> int:
    """⌊7T/8⌋, the most characters that are kept: the rest of the block is for two MASKs and some padding.

    Raises:
        CourseError: a block size below 8, which could not hold the two MASKs beside the text.
    """
    if block_size < 8:
        raise CourseError(f"Span corruption needs a block size of at least 8, not {block_size}.")
    return 7 * block_size // 8


class CharCorruptionDataset(torch.utils.data.Dataset):
    """Item i is document i with one random span cut out and put behind the text; a new draw at every call.

    Args:
        documents: texts of any length, empty ones included.
        vocab: which id stands for which character.
        block_size: T.
        seed: of ``rng``, from which every draw comes.
    """

    def __init__(self, documents: list[str], vocab: Vocabulary, block_size: int, seed: int = 0) -> None:
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.longest = longest_kept(block_size)
        self.rng = random.Random(seed)

    def reseed(self, seed: int) -> None:
        """Start the draws anew, as at the beginning of an epoch or in another worker."""
        self.rng.seed(seed)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """x and y, int64, (T,) each: y is x one place further on."""
        kept = self.documents[index][: self.rng.randint(SHORTEST, self.longest)]
        n = min(len(kept), self.rng.randint(1, max(1, len(kept) // 2 - 1)))  # 1 .. L/2 - 1: mean L/4
        start = self.rng.randint(0, len(kept) - n)
        ids = self.vocab.encode(kept)
        mask = [self.vocab.mask_id]
        s = ids[:start] + mask + ids[start + n :] + mask + ids[start : start + n]
        s += [self.vocab.pad_id] * (self.block_size + 1 - len(s))
        return torch.tensor(s[:-1]), torch.tensor(s[1:])


def encode_documents(documents: Sequence[str], vocab: Vocabulary, longest: int) -> tuple[Tensor, Tensor]:
    """ids (N, longest), padded on the right and cut where no draw can reach, and lengths (N,), both int64."""
    rows = [torch.tensor(vocab.encode(text[:longest]), dtype=torch.long) for text in documents]
    ids = torch.full((len(rows), longest), vocab.pad_id)
    for row, content in zip(ids, rows, strict=True):
        row[: len(content)] = content
    return ids, torch.tensor([len(row) for row in rows], dtype=torch.long)


def corrupt_batch(
    ids: Tensor, lengths: Tensor, block_size: int, generator: torch.Generator, pad: int = 0, mask: int = 1
) -> tuple[Tensor, Tensor]:
    """One fresh corruption of every document, drawn on the device of ``ids``.

    Args:
        ids: (B, Lmax) int64, documents padded on the right.
        lengths: (B,) int64, their real lengths.
        block_size: T.
        generator: source of all draws, on the device of ``ids``.

    Returns:
        X and Y, (B, T) each, int64; in distribution what :class:`CharCorruptionDataset` gives item by item.
    """
    longest = longest_kept(block_size)
    drawn = torch.randint(SHORTEST, longest + 1, lengths.shape, generator=generator, device=ids.device)
    kept = torch.minimum(drawn, lengths)  # (B,)
    n = torch.minimum(1 + _below((kept // 2 - 1).clamp(min=1), generator), kept)  # (B,), 1 .. L/2 - 1
    start = _below(kept - n + 1, generator)  # (B,), 0 .. L - n
    s = _arrange(ids, kept, n, start, block_size, pad, mask)  # (B, T+1)
    return s[:, :-1].contiguous(), s[:, 1:].contiguous()


def _below(limit: Tensor, generator: torch.Generator) -> Tensor:
    """A whole number from 0 to limit-1 for every entry of ``limit``, uniform; float64, so that no product rounds up."""
    u = torch.rand(limit.shape, generator=generator, device=limit.device, dtype=torch.float64)
    return (u * limit).long()


def _arrange(ids: Tensor, kept: Tensor, n: Tensor, start: Tensor, T: int, pad: int, mask: int) -> Tensor:
    """``prefix MASK suffix MASK content PAD…`` for every row, (B, T+1), by saying where each place takes its token from.

    Kept length, content length and start, (B,) each, become columns (B, 1) beside the places (1, T+1).
    """
    L, n, start = kept[:, None], n[:, None], start[:, None]  # (B,) -> (B, 1)
    place = torch.arange(T + 1, device=ids.device)[None]  # (1, T+1)
    second = L - n + 1  # where the second MASK stands
    source = torch.where(place < start, place, place - 1 + n)  # prefix, then suffix: (B, T+1)
    source = torch.where(place > second, start + place - second - 1, source)  # then the content
    s = ids.gather(1, source.clamp(0, ids.shape[1] - 1))
    s = torch.where((place == start) | (place == second), mask, s)
    return torch.where(place > L + 1, pad, s)


def corrupted_epochs(
    documents: Sequence[str], vocab: Vocabulary, block_size: int, seed: int = 0, device: str | torch.device = "cpu"
) -> Iterator[tuple[Tensor, Tensor]]:
    """Epochs (X, Y), each (N, T), without end: what ``train`` takes as a source, some seventy times faster than items."""
    ids, lengths = encode_documents(documents, vocab, longest_kept(block_size))
    ids, lengths = ids.to(device), lengths.to(device)
    generator = torch.Generator(device).manual_seed(seed)
    while True:
        yield corrupt_batch(ids, lengths, block_size, generator, vocab.pad_id, vocab.mask_id)
