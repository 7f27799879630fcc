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
        row = torch.tensor(s)  # (T+1,)
        return row[:-1], row[1:]


def encode_documents(documents: Sequence[str], vocab: Vocabulary, longest: int) -> tuple[Tensor, Tensor]:
    """ids (N, longest), padded on the right and cut where no draw can reach, and lengths (N,), both int64."""
    rows = [torch.tensor(vocab.encode(text[:longest]), dtype=torch.long) for text in documents]
    ids = torch.full((len(rows), longest), vocab.pad_id)
    for row, content in zip(ids, rows, strict=True):
        row[: len(content)] = content
    return ids, torch.tensor([len(row) for row in rows], dtype=torch.long)


def corruption_table(documents: Sequence[str], vocab: Vocabulary, block_size: int) -> tuple[Tensor, Tensor]:
    """What :func:`corrupt_batch` reads: table (N, W) in the smallest integers that hold the vocabulary, lengths (N,) int64.

    Row i is ``MASK text PAD…``: whatever a corrupted text may need stands in its own row, so that one look-up per place does.
    """
    longest = longest_kept(block_size)
    ids, lengths = encode_documents(documents, vocab, longest)
    mask, pads = torch.full((len(ids), 1), vocab.mask_id), torch.full((len(ids), block_size), vocab.pad_id)
    table = torch.cat([mask, ids, pads], 1)  # (N, 1), (N, longest), (N, T) -> (N, W)
    return table.to(torch.uint8 if len(vocab) <= 256 else torch.int32), lengths


def corrupt_batch(
    table: Tensor,
    lengths: Tensor,
    block_size: int,
    generator: torch.Generator,
    rows: Tensor | None = None,
    *,
    kept_between: tuple[int, int] | None = None,
) -> tuple[Tensor, Tensor]:
    """One fresh corruption of every document asked for, drawn on the device of ``table``.

    Args:
        table, lengths: from :func:`corruption_table`, with the same block size.
        block_size: T.
        generator: source of all draws, on the device of ``table``.
        rows: (B,) int64, which documents; all of them by default.
        kept_between: fewest and most characters that are kept of a document, within 4 and ⌊7T/8⌋, which are the default.

    Raises:
        CourseError: bounds of what is kept that are not in order, or not within 4 and ⌊7T/8⌋.

    Returns:
        X and Y, (B, T) each, int64, two views of one tensor; in distribution what :class:`CharCorruptionDataset` gives
        item by item.
    """
    rows = torch.arange(len(table), device=table.device) if rows is None else rows
    least, most = kept_between or (SHORTEST, longest_kept(block_size))
    if not SHORTEST <= least <= most <= longest_kept(block_size):
        raise CourseError(f"{least} to {most} characters cannot be kept in a block of {block_size}; see longest_kept.")
    drawn = torch.randint(least, most + 1, rows.shape, generator=generator, device=table.device)
    kept = torch.minimum(drawn, lengths[rows])  # (B,)
    n = torch.minimum(1 + _below((kept // 2 - 1).clamp(min=1), generator), kept)  # (B,), 1 .. L/2 - 1
    start = _below(kept - n + 1, generator)  # (B,), 0 .. L - n
    narrow = torch.int32 if table.numel() < 2**31 else torch.int64  # half the memory to go through
    source = _columns(kept, n, start, block_size, narrow).add_((rows * table.shape[1]).to(narrow)[:, None])  # (B, T+2)
    s = table.view(-1).index_select(0, source.view(-1)).long().view(source.shape)  # (N, W) -> (N*W,) -> (B, T+2)
    return s[:, :block_size], s[:, 1 : block_size + 1]


def _below(limit: Tensor, generator: torch.Generator) -> Tensor:
    """A whole number from 0 to limit-1 for every entry of ``limit``, uniform; float64, so that no product rounds up."""
    u = torch.rand(limit.shape, generator=generator, device=limit.device, dtype=torch.float64)
    return (u * limit).long()


def _columns(kept: Tensor, n: Tensor, start: Tensor, T: int, dtype: torch.dtype) -> Tensor:
    """Which column of the table each place of ``prefix MASK suffix MASK content PAD…`` reads, (B, T+2); one place is spare.

    Read from left to right the column grows by one per place, but for five jumps: to the first MASK and back, to the second
    and back, and to the padding. Jumps that fall together (an empty prefix or suffix) add up to the right one.
    """
    second, end = kept - n + 1, kept + 2  # places of the second MASK and of the first PAD, (B,)
    where = torch.stack([start, start + 1, second, second + 1, end], 1)  # five of (B,) -> (B, 5)
    jump = torch.stack([-start - 1, start + n, -kept - 1, start, longest_kept(T) - start - n], 1)  # (B, 5)
    steps = torch.ones(len(kept), T + 2, dtype=dtype, device=kept.device)  # column 1 holds the first character
    return steps.scatter_add_(1, where, jump.to(dtype)).cumsum_(1)


def corrupted_epochs(
    documents: Sequence[str], vocab: Vocabulary, block_size: int, seed: int = 0, device: str | torch.device = "cpu"
) -> Iterator[tuple[Tensor, Tensor]]:
    """Epochs (X, Y), each (N, T), without end: a source for ``train``, many times faster than items."""
    table, lengths = (t.to(device) for t in corruption_table(documents, vocab, block_size))
    generator = torch.Generator(device).manual_seed(seed)
    while True:
        yield corrupt_batch(table, lengths, block_size, generator)
