"""How the check of notebook 08 asks for two trainings in a row: tiny ones run in the student's process, with batches recorded.

What comes back are weights, batches and histories. The batches are compared with those of the reference; from them the steps
are repeated where the judge stands, and weights and histories are held to that. Worlds, first weights and settings are
derived from the case's numbers.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed, difference
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.config import ModelConfig, Profile, TrainConfig
from course_utils.corpora.world import ALPHABET, generate
from course_utils.data import Question
from course_utils.errors import CourseError
from course_utils.lessons.knowledge import plain_text
from course_utils.lessons.knowledge_probes import (
    Recorder,
    Replay,
    apart,
    draw_start,
    listed,
    proper,
    replayed,
    unused_options,
)
from course_utils.model import GPT
from course_utils.vocab import Vocabulary

BOTH = "course_utils.lessons.variant_trainings.both_trainings"
NEAR = (1e-3, 1e-3)  # of losses, between two ways to make one step
FAR = 0.02  # of the way that the weights go
OPTIONS = "the options do not reach train: pass **options on in both calls"
VOCAB = Vocabulary.from_text(ALPHABET)
Epoch = tuple[Tensor, Tensor]


class Documents(torch.utils.data.Dataset):
    """Items of one epoch, which begin at another place after every ``reseed``."""

    def __init__(self, epoch: Epoch) -> None:
        self.X, self.Y = epoch
        self.first = 0

    def reseed(self, seed: int) -> None:
        """Choose where to begin."""
        self.first = seed % len(self)

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, index: int) -> Epoch:
        at = (self.first + index) % len(self)
        return self.X[at], self.Y[at]


@fetches("two trainings must run where the student's function is; they bring back weights and batches")
def both_trainings(
    fit: Callable[..., Any], shape: ModelConfig, start: Mapping[str, Tensor], epochs: Sequence[Epoch],
    questions: Sequence[Question], vocab: Vocabulary, profile: Profile, more: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Let ``fit(model, source, questions, vocab, profile, **options)`` train a GPT from these weights.

    The source is an iterator of these epochs, a data set if there is one alone. The options are ``engine``, which records
    batches, those of ``unused_options``, and ``more``.

    Returns:
        ``model``: its weights afterwards; ``loss`` and ``accuracy`` of the histories that came back, None where there is
        none; ``length``: how many came back, None if it is no tuple or list; ``batches``: (x, y) of all steps, in order;
        ``lost``: names of the options that did not reach both trainings.
        Or ``stopped`` alone: what the course's code says of a source that does not fit.
    """
    model, engine = GPT(shape), Recorder()
    model.load_state_dict(dict(start))
    source = iter(list(epochs)) if len(epochs) > 1 else Documents(epochs[0])
    with tempfile.TemporaryDirectory() as folder:
        quiet = {**unused_options(folder), **dict(more)}
        try:
            got = fit(model, source, list(questions), vocab, profile, engine=engine, **quiet)
        except CourseError as error:
            return {"stopped": str(error)}
    pair = list(got) if isinstance(got, tuple | list) else []
    found = {name: [_numbers(getattr(one, name, None)) for one in pair] for name in ("loss", "accuracy")}
    length = len(pair) if isinstance(got, tuple | list) else None
    lost = engine.lost(quiet)
    return {"model": dict(model.state_dict()), **found, "length": length, "batches": engine.batches, "lost": lost}


def _numbers(found: Any) -> list[float] | None:
    return list(map(float, found)) if isinstance(found, list) else None


def settings(case: Case) -> tuple[ModelConfig, dict[str, Tensor], list[Epoch], list[Question], Profile]:
    """Shape, first weights, epochs of the source, questions (so many words longer than usual) and profile of a case."""
    setup, seed = case.setup, case.setup["seed"]
    shape = ModelConfig(vocab_size=len(VOCAB), block_size=setup["T"], n_layer=1, n_head=2, n_embd=32)
    start = draw_start(shape, torch.Generator().manual_seed(seed))
    world, rng = generate(seed, n_people=2 * setup["people"], n_never=0), random.Random(seed)
    texts = [rng.sample(world.wiki, min(setup["documents"], len(world.wiki))) for _ in range(setup["epochs"])]
    epochs = [plain_text(some, VOCAB, shape.block_size, 1)[0] for some in texts]
    longer = [Question(q.text + " Really?" * setup["words"], q.answer) for q in world.train]
    configs = (TrainConfig(**setup[name]) for name in ("pretrain", "finetune", "scratch"))
    return shape, start, epochs, longer, Profile("tiny", shape, *configs)


def _asked(student: Any, case: Case, name: str) -> dict[str, Any]:
    """What :func:`both_trainings` brings back. Raises CheckFailed where the batches are not those of a training."""
    shape, start, epochs, questions, profile = settings(case)
    more = case.setup.get("more", {})
    function, tool = getattr(student, name), student.tool(BOTH)
    got = tool(function, shape, start, epochs, questions, VOCAB, profile, more)
    if type(stopped := got.get("stopped")) is str:
        raise CheckFailed(f"train stopped: {stopped[:200]}")
    if not proper(got["batches"], shape) or not got["batches"]:
        raise CheckFailed(OPTIONS)
    if lost := [str(one) for one in got["lost"]]:
        raise CheckFailed(f"{listed(lost)} did not reach both trainings: pass **options on in both calls of train")
    return dict(got)


def trained_on(student: Any, case: Case, name: str) -> list[list[list[str]]]:
    """All batches of both trainings in order, each as the texts of x and those of y."""
    batches = _asked(student, case, name)["batches"]
    return [[[VOCAB.decode(row) for row in part.tolist()] for part in pair] for pair in batches]


def outcome(student: Any, case: Case, name: str) -> bool:
    """Whether model and histories are those of the two trainings on these batches. Raises CheckFailed."""
    shape, start, epochs, questions, profile = settings(case)
    got = _asked(student, case, name)
    _require(got["length"] == 2, "return two histories: that of the pretraining and that of the finetuning")
    _require(None not in got["loss"] + got["accuracy"], "return the histories that train gives")
    parts = ((profile.pretrain, len(epochs[0][0])), (profile.finetune, len(questions)))
    (first, early), (second, late) = ((config, math.ceil(n / config.batch_size)) for config, n in parts)
    steps = first.steps or (first.epochs or 0) * early
    before = _again(shape, start, got["batches"][:steps], first, early)
    after = _again(shape, before.weights, got["batches"][steps:], second, late)
    _histories(got, [before, after])
    _require(
        apart(start, got["model"], after.weights) < FAR,
        "the model that was passed in does not have the weights that both trainings lead to: train it in place, twice",
    )
    return True


def _again(shape: ModelConfig, start: Mapping[str, Tensor], batches: Any, config: TrainConfig, steps: int) -> Replay:
    """A training, made again from its batches; ``steps`` of an epoch."""
    again = replayed(shape, start, batches, config, steps)
    if again is None or len(again.loss) != (config.steps or (config.epochs or 0) * steps):
        raise CheckFailed("the trainings did not take the steps that profile.pretrain and profile.finetune ask for")
    return again


def _histories(got: Mapping[str, Any], trainings: Sequence[Replay]) -> None:
    """Whether the histories are those of these trainings, in their order. Raises CheckFailed."""
    swapped = [_near(found, again.loss) for found, again in zip(got["loss"], reversed(trainings), strict=True)]
    _require(not all(swapped), "the histories stand the wrong way round: first that of the pretraining")
    for number, again in enumerate(trainings):
        _require(
            _near(got["loss"][number], again.loss),
            f"history {number + 1} of 2 is not that of this model's training: train the model itself, return what train gives",
        )
        _require(
            _near(got["accuracy"][number], again.accuracy),
            f"evaluate was not asked about the model after every epoch of training {number + 1} of 2: pass **options on",
        )


def _near(found: Any, want: Any) -> bool:
    return difference(found, want, NEAR) is None


def _require(holds: bool, sentence: str) -> None:  # noqa: FBT001
    if not holds:
        raise CheckFailed(sentence)
