"""Decoding: the batched, cached way equals one prompt at a time read from the start. Seeds stated."""

import pytest
import torch
from torch import nn

from course_utils.config import ModelConfig
from course_utils.data import Question
from course_utils.errors import CourseError
from course_utils.generate import answer_questions, greedy, sample
from course_utils.model import GPT
from course_utils.vocab import Vocabulary
from tests.course_utils.test_model import SMALL, randomised


def one_by_one(model: GPT, prompt: list[int], max_new: int, stops: set[int]) -> tuple[list[int], float]:
    """The definition: read everything, append the best token, until a stop, the limit or the end of the block."""
    ids, logps = list(prompt), []
    while len(ids) - len(prompt) < max_new and len(ids) < model.config.block_size:
        logp = model(torch.tensor([ids]))[0, -1].log_softmax(-1)
        ids.append(int(logp.argmax()))
        logps.append(float(logp.max()))
        if ids[-1] in stops:
            break
    new = ids[len(prompt) :]
    return (new[:-1] if new and new[-1] in stops else new), sum(logps) / max(len(logps), 1)


def random_prompts(n: int, seed: int) -> list[list[int]]:
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 13, (n,), generator=g).tolist()
    return [torch.randint(1, 17, (k,), generator=g).tolist() for k in lengths]


class Uncached(nn.Module):
    """An attention that offers `forward` alone, as a student's may."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)


@pytest.mark.parametrize("cached", [True, False])
def test_batched_greedy_equals_one_by_one_uncached(cached: bool) -> None:
    lengths = set()
    for seed in range(6):
        model, prompts = randomised(SMALL, seed), random_prompts(40, seed)
        stops = {0, 3, seed}
        with torch.no_grad():
            expected = [one_by_one(model, p, 6, stops) for p in prompts]
        if not cached:
            for block in model.blocks:
                block.attention = Uncached(block.attention)
        tokens, confidences = greedy(model, prompts, 6, stops)
        assert tokens == [t for t, _ in expected]
        assert confidences == pytest.approx([c for _, c in expected], abs=1e-4)
        lengths |= {len(t) for t in tokens}
    assert lengths == set(range(7))  # stops, limits and full blocks have all happened


def test_more_prompts_than_a_batch_come_back_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    model, prompts = randomised(SMALL), random_prompts(30, 9)
    whole = greedy(model, prompts, 4)
    monkeypatch.setattr("course_utils.generate.BATCH", 7)
    parts = greedy(model, prompts, 4)
    assert parts[0] == whole[0]
    assert parts[1] == pytest.approx(whole[1], abs=1e-5)


def test_the_mode_is_restored_and_dropout_is_off() -> None:
    model = randomised(ModelConfig(**{**vars(SMALL), "dropout": 0.5})).train()
    prompts = random_prompts(8, 1)
    assert greedy(model, prompts, 5) == greedy(model, prompts, 5)
    assert model.training


def test_edges_of_length() -> None:
    model = randomised(SMALL)
    assert greedy(model, [], 5) == ([], [])
    assert greedy(model, [[1] * 12], 5) == ([[]], [0.0])  # the block is full
    assert greedy(model, [[1, 2]], 0) == ([[]], [0.0])
    for bad in ([], [1] * 13):
        with pytest.raises(CourseError, match=f"Prompt 2 has {len(bad)} tokens"):
            greedy(model, [[1], bad], 3)


def test_samples_follow_the_models_distribution_and_the_seed() -> None:
    model, n = randomised(SMALL), 4000
    draws = sample(model, [[5, 6]] * n, 1, temperature=2.0, seed=11, stop_ids=())
    assert draws == sample(model, [[5, 6]] * n, 1, temperature=2.0, seed=11, stop_ids=())
    assert draws != sample(model, [[5, 6]] * n, 1, temperature=2.0, seed=12, stop_ids=())
    p = (model(torch.tensor([[5, 6]]))[0, -1] / 2.0).softmax(-1)
    seen = torch.bincount(torch.tensor(draws)[:, 0], minlength=17) / n
    assert (seen - p).abs().max() < 5 * (0.25 / n) ** 0.5  # five standard errors
    with pytest.raises(CourseError, match="temperature"):
        sample(model, [[1]], 1, temperature=0.0)


class Parrot(nn.Module):
    """Answers every question with its third character, then MASK: what is asked and read is seen exactly."""

    def __init__(self, vocab: Vocabulary) -> None:
        super().__init__()
        self.config = ModelConfig(vocab_size=len(vocab), block_size=40, n_layer=1, n_head=1, n_embd=4)
        self.unused = nn.Parameter(torch.zeros(1))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        logits = torch.zeros(*ids.shape, self.config.vocab_size)
        for row, line in zip(logits, ids.tolist(), strict=True):
            row[-1, 1 if line[-2] == 1 else line[2]] = 9.0
        return logits


def test_questions_are_asked_before_a_mask_and_answers_read_up_to_the_next() -> None:
    vocab = Vocabulary.from_text("Who?abc")
    questions = [Question("abc?"), Question("Who?"), Question("cab?b")]
    answers, confidences = answer_questions(Parrot(vocab), vocab, questions)
    assert answers == ["c", "o", "b"]
    assert len(confidences) == 3 and all(-1 < c < 0 for c in confidences)
    with pytest.raises(CourseError, match="'z'"):
        answer_questions(Parrot(vocab), vocab, [Question("zoo?")])
