"""How the checks of notebook 07 ask for a training: a tiny one runs in the student's process, and every step is made again.

What comes back are weights, batches and a history (``knowledge_probes.trained``). From the batches the steps are repeated
where the judge stands; what does not follow from them, or does not belong to the case, raises CheckFailed with its sentence.
Worlds, first weights and settings are derived from the case's numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from course_utils.checks.compare import CheckFailed, difference
from course_utils.checks.draws import Case
from course_utils.config import ModelConfig, TrainConfig
from course_utils.corpora.world import ALPHABET, generate
from course_utils.data import Question
from course_utils.lessons.knowledge import changed
from course_utils.lessons.knowledge_probes import Replay, apart, asked, draw_start, replayed
from course_utils.train import batches as batches_of
from course_utils.vocab import Vocabulary

TRAINED = "course_utils.lessons.knowledge_probes.trained"
NEAR = 1e-3  # of losses, between two ways to make one step
FAR = 0.02  # of the way that the weights go
AS_IT_IS = "pass the config on to train as it is, with its rate, batch size and seed"
OPTIONS = "pass **options on to train as they are"
VOCAB = Vocabulary.from_text(ALPHABET)


def settings(case: Case) -> tuple[ModelConfig, dict[str, torch.Tensor], list[Question], TrainConfig]:
    """Shape, first weights, questions (so many words longer than usual) and settings of a case."""
    setup = case.setup
    shape = ModelConfig(vocab_size=len(VOCAB), block_size=setup["T"], n_layer=1, n_head=2, n_embd=32)
    start = draw_start(shape, torch.Generator().manual_seed(setup["seed"]))
    world = generate(setup["seed"], n_people=2 * setup["people"], n_never=0)
    longer = [Question(q.text + " Really?" * setup["words"], q.answer) for q in world.train]
    return shape, start, longer, TrainConfig(**setup["config"])


def on_questions(student: Any, case: Case, name: str) -> bool:
    """Ask for ``name(model, questions, vocab, config, **options)``, which trains the model in place."""
    shape, start, questions, config = settings(case)
    got = student.tool(TRAINED)(getattr(student, name), shape, start, questions, VOCAB, config)
    _require(
        changed(start, got["model"]),
        "the model that was passed in has not changed: train it in place, not a copy or a new one",
    )
    _require(got["loss"] is not None, "return the History that train gives")
    steps = math.ceil(len(questions) / config.batch_size)
    again = _again(got, got["model"], shape, start, config, steps, AS_IT_IS)
    _questions(got["batches"], questions, config, shape.block_size)
    _histories(got, again)
    return True


def _again(
    got: Mapping[str, Any], weights: Any, shape: ModelConfig, start: Any, config: TrainConfig, steps: int, advice: str
) -> Replay:
    """The training, made again from its batches; ``steps`` of an epoch. Raises CheckFailed."""
    total = config.steps or (config.epochs or 0) * steps
    _require(len(got["loss"]) == total, f"the number of steps is not what config asks for: {advice}")
    _require(
        got["accuracy"] is not None and len(got["accuracy"]) == math.ceil(total / steps),
        f"evaluate was not asked after every epoch: {OPTIONS}",
    )
    again = replayed(shape, start, got["batches"], config, steps)
    if again is None or len(again.loss) != total:
        raise CheckFailed(f"train was not called with all options: {OPTIONS}")
    _require(apart(start, weights, again.weights) < FAR, f"the weights are not what config leads to: {advice}")
    return again


def _questions(batches: Any, questions: Sequence[Question], config: TrainConfig, T: int) -> None:
    """Every question once per epoch, in the order that ``train`` draws from the seed for rows of these lengths."""
    found, n, epochs = asked(batches, VOCAB, questions), len(questions), config.epochs or 0
    whole = all(sorted(found[k * n : (k + 1) * n]) == list(range(n)) for k in range(epochs))
    _require(
        whole and len(found) == epochs * n,
        "every question must be trained on once per epoch, with its answer as the target: "
        "NameDataset(questions, …), all questions and no others",
    )
    rows = torch.zeros(n, T, dtype=torch.long)
    for number, (row, q) in enumerate(zip(rows, questions, strict=True)):
        row[: len(q.text) + len(q.answer or "") + 2] = number + 1
    order = [int(row[0]) - 1 for k in range(epochs) for x, _ in batches_of(rows, rows, config, k) for row in x]
    _require(found == order, f"the questions do not come in the order of the seed: {AS_IT_IS}")


def _histories(got: Mapping[str, Any], again: Replay) -> None:
    near = (NEAR, NEAR)
    _require(
        difference(got["loss"], again.loss, near) is None,
        "the history is not that of this training: return what train gives",
    )
    _require(
        difference(got["accuracy"], again.accuracy, near) is None,
        f"evaluate was not asked about the trained model after every epoch: {OPTIONS}",
    )


def _require(holds: bool, sentence: str) -> None:  # noqa: FBT001
    if not holds:
        raise CheckFailed(sentence)
