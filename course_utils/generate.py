"""Text generation with a trained model: many prompts at once, each key and value computed once.

Prompts of different length share one loop over positions: up to the end of a row's prompt its next token comes from the
prompt, then from the model. For an attention without a cache (see course_utils.attention) the whole sequence is read
again for each token. Both give the same result as one prompt alone without a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import torch
from torch import Tensor, nn

from course_utils.data import Question
from course_utils.errors import CourseError
from course_utils.model import PAD_ID, evaluating
from course_utils.vocab import Vocabulary

BATCH = 256  # rows decoded together: bounds the cache to batch * layers * 2 * T * D numbers
ON_GPU = 8  # times as many there, where a step of a small model takes as long for more rows
Choose = Callable[[Tensor], Tensor]  # log-probabilities (B, V) -> tokens (B,)


def greedy(
    model: nn.Module, prompts: Sequence[Sequence[int]], max_new: int, stop_ids: Collection[int] = (PAD_ID,)
) -> tuple[list[list[int]], list[float]]:
    """The most probable next token again and again: (new tokens of each prompt, confidence of each).

    A row ends before the first token in `stop_ids`, after `max_new` tokens, or when the block is full. Its confidence is
    the mean log-probability in nats (natural logarithm, <= 0) that the model gave to the tokens it chose, the stop
    included; 0 if it chose none. Raises CourseError for a prompt that is empty or longer than the block.
    """
    return _write(model, prompts, max_new, stop_ids, lambda logp: logp.argmax(-1))


def sample(
    model: nn.Module,
    prompts: Sequence[Sequence[int]],
    max_new: int,
    temperature: float = 1.0,
    seed: int = 0,
    stop_ids: Collection[int] = (PAD_ID,),
) -> list[list[int]]:
    """Tokens drawn from softmax(logits / temperature), one row per prompt; the same seed draws the same on one device."""
    if temperature <= 0:
        raise CourseError(f"A temperature is positive, not {temperature}; for the most probable text use greedy.")
    g = torch.Generator(_device(model)).manual_seed(seed)

    def draw(logp: Tensor) -> Tensor:
        return torch.multinomial((logp / temperature).softmax(-1), 1, generator=g)[:, 0]  # (B, V) -> (B,)

    return _write(model, prompts, max_new, stop_ids, draw)[0]


def answer_questions(
    model: nn.Module, vocab: Vocabulary, questions: Sequence[Question], max_new: int = 32
) -> tuple[list[str], list[float]]:
    """Ask `question MASK` and read the answer up to the next MASK: (answers, confidences as in `greedy`).

    Raises CourseError for a question with a character that the vocabulary lacks, or too long for the model's block.
    """
    prompts = [[*vocab.encode(q.text), vocab.mask_id] for q in questions]
    tokens, confidences = greedy(model, prompts, max_new, (vocab.mask_id, vocab.pad_id))
    return [vocab.decode(t) for t in tokens], confidences


@torch.inference_mode()
def _write(
    model: nn.Module, prompts: Sequence[Sequence[int]], max_new: int, stop_ids: Collection[int], choose: Choose
) -> tuple[list[list[int]], list[float]]:
    """Continue all prompts in batches of similar length, results in the prompts' order; all modes are restored."""
    block = model.config.block_size  # type: ignore[union-attr]
    for i, prompt in enumerate(prompts):
        if not 1 <= len(prompt) <= block:  # type: ignore[operator]
            raise CourseError(f"Prompt {i + 1} has {len(prompt)} tokens; this model reads 1 to {block}.")
    tokens: list[list[int]] = [[] for _ in prompts]
    confidences = [0.0] * len(prompts)
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    size = BATCH * (ON_GPU if _device(model).type == "cuda" else 1)
    with evaluating(model):
        for rows in (order[i : i + size] for i in range(0, len(order), size)):
            written = _write_batch(model, [prompts[i] for i in rows], max_new, stop_ids, choose)
            for i, (new, confidence) in zip(rows, written, strict=True):
                tokens[i], confidences[i] = new, confidence
    return tokens, confidences


def _write_batch(
    model: nn.Module, prompts: Sequence[Sequence[int]], max_new: int, stop_ids: Collection[int], choose: Choose
) -> list[tuple[list[int], float]]:
    """Continue one batch: (new tokens, confidence) for each of the B prompts."""
    device = _device(model)
    start = torch.tensor([len(p) for p in prompts], device=device)  # (B,) position of each row's first new token
    end = (start + max_new).clamp(max=model.config.block_size)  # type: ignore[union-attr, arg-type]
    ids = torch.full((len(prompts), int(end.max())), PAD_ID)  # (B, T); filled before one copy to a GPU, not row by row
    for row, prompt in zip(ids, prompts, strict=True):
        row[: len(prompt)] = torch.tensor(prompt)
    ids = ids.to(device)
    stops = torch.tensor(sorted(stop_ids), dtype=torch.long, device=device)
    ended, score, count = start >= end, torch.zeros(len(prompts), device=device), torch.zeros_like(start)
    read = _reader(model, *ids.shape)
    for t in range(int(start.min()), ids.shape[1]):
        if bool(ended.all()):
            break
        logp = read(ids[:, :t]).float().log_softmax(-1)  # (B, V)
        token = choose(logp)
        writing = (t >= start) & ~ended
        ids[:, t] = torch.where(writing, token, ids[:, t])
        score += torch.where(writing, logp.gather(1, token[:, None])[:, 0], 0.0)  # (B, 1) -> (B,)
        count += writing
        ended |= writing & (torch.isin(token, stops) | (t + 1 >= end))
    ids, start, count, score = ids.cpu(), start.cpu(), count.cpu(), score.cpu()
    return [_read_row(*row, set(stop_ids)) for row in zip(ids, start, count, score, strict=True)]


def _read_row(ids: Tensor, start: Tensor, count: Tensor, score: Tensor, stops: set[int]) -> tuple[list[int], float]:
    """The new tokens of a row without the stop at its end, and the mean log-probability of all, the stop included."""
    n = int(count)
    new = ids[int(start) : int(start) + n].tolist()
    return (new[:-1] if new and new[-1] in stops else new), float(score) / max(n, 1)


def _reader(model: nn.Module, batch: int, length: int) -> Callable[[Tensor], Tensor]:
    """A function from all tokens so far (B, t) to logits about the next (B, V), which grow by one column per call.

    With caches every call but the first has tensors of the same shapes: one new token, and caches of `length` positions.
    """
    blocks = getattr(model, "blocks", ())
    if not blocks or not all(hasattr(b, "decode_step") and hasattr(b.attention, "decode_step") for b in blocks):
        return lambda ids: model(ids)[:, -1]  # (B, t, V) -> (B, V)
    caches = [block.attention.new_cache(batch, length) for block in blocks]
    known = 0

    def read(ids: Tensor) -> Tensor:
        nonlocal known
        at = torch.arange(known, ids.shape[1], device=ids.device)  # (n,), positions that are new
        x = model.embed(ids[:, known:], at)  # type: ignore[operator]
        for block, cache in zip(blocks, caches, strict=True):
            x = block.decode_step(x, cache, at)
        known = ids.shape[1]
        logits: Tensor = model.head(model.norm(x[:, -1]))  # type: ignore[operator]  # (B, n, D) -> (B, V)
        return logits

    return read


def _device(model: nn.Module) -> torch.device:
    """Where the model's weights are."""
    return next(model.parameters()).device
