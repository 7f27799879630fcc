"""How the checks of notebook 07 ask for a training: a tiny one runs in the student's process, and every step is made again.

What comes back are weights, batches and a history (``knowledge_probes.trained``). From the batches the steps are repeated
where the judge stands; what does not follow from them, or does not belong to the case, raises CheckFailed with its sentence.
Worlds, first weights and settings are derived from the case's numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations, product
from typing import Any

import torch

from course_utils.checks.compare import CheckFailed, difference
from course_utils.checks.draws import Case
from course_utils.checks.student import StudentError
from course_utils.config import ModelConfig, Profile, TrainConfig
from course_utils.corpora.world import ALPHABET, generate
from course_utils.data import Question
from course_utils.lessons.knowledge import changed
from course_utils.lessons.knowledge_probes import Replay, among, apart, asked, draw_start, exact, listed, replayed
from course_utils.train import batches as batches_of
from course_utils.vocab import MASK, Vocabulary

HERE = "course_utils.lessons.knowledge_probes."
TRAINED, OWN_ITEMS = HERE + "trained", HERE + "own_items"
NEAR = 1e-3  # of losses, between two ways to make one step
FAR = 0.02  # of the way that the weights go
AS_IT_IS = "pass the config on to train as it is, with its rate, batch size and seed"
OPTIONS = "pass **options on to train as they are"
CALLED = f"train was not called with all options: {OPTIONS}"
ANEW = "in the second call the model was not trained: keep no result of an earlier call, and train in each call"
AGAIN = (
    "a second call with the same arguments and weights gives another training: keep nothing from one call to the next"
)
BLOCK = "make the dataset with the model's own block size, model.config.block_size"
IN_PLACE = "the model that was passed in has not changed: train it in place, not a copy or a new one"
TUNED = "pass profile.finetune on as it is, and return the model that was trained"
ENOUGH = 5  # documents, from which on two equal epochs are no chance
SHORTEST = 4  # characters that are kept of a document, unless it has fewer
HELD = 1e-5  # weights that differ by less than this are the same ones
VOCAB = Vocabulary.from_text(ALPHABET)


def settings(case: Case) -> tuple[ModelConfig, dict[str, torch.Tensor], list[Question], TrainConfig]:
    """Shape, first weights, questions (so many words longer than usual, the first ``twice`` once more) and settings."""
    setup = case.setup
    shape = ModelConfig(vocab_size=len(VOCAB), block_size=setup["T"], n_layer=1, n_head=2, n_embd=32)
    start = draw_start(shape, torch.Generator().manual_seed(setup["seed"]))
    world = generate(setup["seed"], n_people=2 * setup["people"], n_never=0)
    longer = [Question(q.text + " Really?" * setup["words"], q.answer) for q in world.train]
    return shape, start, longer + longer[: setup.get("twice", 0)], TrainConfig(**setup["config"])


def on_questions(student: Any, case: Case, name: str, anew: bool = False) -> bool:  # noqa: FBT001, FBT002
    """Ask for ``name(model, questions, vocab, config, **options)``, which trains the model in place.

    Args:
        anew: whether to ask once more with the same model, whose weights are others then, and look at that call.
    """
    shape, start, questions, config = settings(case)
    first, later, start = _starts(case, shape, start, anew=anew)
    got = student.tool(TRAINED)(getattr(student, name), shape, first, later, (), questions, VOCAB, config)
    _require(changed(start, got["model"]), ANEW if anew else IN_PLACE)
    _history_alone(got)
    _called(got)
    _require(got["widest"] <= shape.block_size, f"the rows are longer than the model's block: {BLOCK}")
    steps = math.ceil(len(questions) / config.batch_size)
    again = _again(got, got["model"], shape, start, config, steps, AS_IT_IS)
    _questions(student, got["batches"], questions, config, shape.block_size)
    _histories(got, again)
    return True


def on_documents(student: Any, case: Case, name: str, anew: bool = False) -> bool:  # noqa: FBT001, FBT002
    """Ask for ``name(model, documents, vocab, config, **options)``, which trains the model in place on corrupted texts.

    Args:
        anew: as of :func:`on_questions`.
    """
    shape, start, _, config = settings(case)
    documents = texts(case)
    first, later, start = _starts(case, shape, start, anew=anew)
    got = student.tool(TRAINED)(getattr(student, name), shape, first, later, (), documents, VOCAB, config)
    _require(
        changed(start, got["model"]), ANEW if anew else f"{IN_PLACE} (and then run the training cell with again=True)"
    )
    _history_alone(got)
    _called(got)
    _require(got["widest"] == shape.block_size, f"the rows are not as long as the model's block: {BLOCK}")
    steps = math.ceil(len(documents) / config.batch_size)
    again = _again(got, got["model"], shape, start, config, steps, AS_IT_IS)
    _corrupted(got["batches"], documents, config, shape.block_size, steps)
    _histories(got, again)
    return True


def twice_on_documents(student: Any, case: Case, name: str) -> bool:
    """Ask for two trainings on documents with equal arguments, from equal weights. Raises CheckFailed where they differ.

    A dataset that does not repeat its draws after ``reseed`` is the fault of another exercise, and none of this one.
    """
    shape, start, _, config = settings(case)
    documents, own = texts(case), student.tool(OWN_ITEMS)
    given = (getattr(student, name), shape, start, (), (), documents, VOCAB, config)
    one, two = (student.tool(TRAINED)(*given) for _ in range(2))
    for got in (one, two):
        _called(got)
    alike = all(difference(one[part], two[part]) is None for part in ("batches", "loss", "model"))
    if not alike:
        first, second = (own(student.CharCorruptionDataset, documents, VOCAB, shape.block_size) for _ in range(2))
        _require(difference(first, second) is not None, AGAIN)
    return True


def _starts(case: Case, shape: ModelConfig, start: Any, *, anew: bool) -> tuple[Any, list[Any], Any]:
    """Weights of a model for its first call and for later ones, and those that the last call begins with."""
    if not anew:
        return start, [], start
    other = draw_start(shape, torch.Generator().manual_seed(case.setup["seed"] + 1))
    return other, [start], start


def on_profile(student: Any, case: Case, name: str, calls: int = 1, anew: bool = False) -> bool:  # noqa: FBT001, FBT002
    """Ask for ``name(model, questions, vocab, profile, **options)``, which returns a finetuned copy and its history.

    Args:
        calls: how often, with one model; the last copy is looked at.
        anew: as of :func:`on_questions`.
    """
    shape, start, questions, config = settings(case)
    other = TrainConfig(batch_size=config.batch_size, epochs=(config.epochs or 0) + 3, lr=config.lr)
    profile = Profile("tiny", shape, other, config, other)
    frozen = case.setup.get("frozen", ())
    first, later, start = _starts(case, shape, start, anew=anew)
    later = later or [{}] * (calls - 1)
    got = student.tool(TRAINED)(getattr(student, name), shape, first, later, frozen, questions, VOCAB, profile)
    two = got["length"] == 2 and got["returned"] is not None
    _require(two, "return two things: the finetuned model and its history")
    _require(got["loss"] is not None, "the second result must be the History that finetune gives")
    steps = math.ceil(len(questions) / config.batch_size)
    _require(
        len(got["loss"]) != steps * (other.epochs or 0),
        "that was trained too long, with the settings for another case: after pretraining take profile.finetune",
    )
    _require(
        changed(start, got["returned"], HELD),
        "the returned model still has the pretrained weights: return the model that was finetuned",
    )
    _left_alone(got, start, frozen)
    _called(got)
    _require(got["widest"] <= shape.block_size, f"the rows are longer than the model's block: {BLOCK}")
    if frozen:
        return True  # a copy with new parameters has none that are frozen
    again = _again(got, got["returned"], shape, start, config, steps, TUNED)
    _questions(student, got["batches"], questions, config, shape.block_size)
    _histories(got, again)
    return True


def _left_alone(got: Mapping[str, Any], start: Mapping[str, torch.Tensor], frozen: Sequence[int]) -> None:
    """Require that the pretrained model has its weights, and learns those that it learned before."""
    _require(
        not changed(start, got["model"]),
        "the pretrained model was changed: finetune a copy of it (copy.deepcopy), and keep the original",
    )
    _require(
        got["learns"] == [place not in frozen for place in range(len(got["learns"]))],
        "the pretrained model keeps its weights, but not which of them require gradients: change nothing of it",
    )


def texts(case: Case) -> list[str]:
    """Documents of a case, each with other first four characters than all others: what is kept tells which one it is.

    Every third one is far longer than a block, and every third one has a few characters alone, or none. The first ``twice``
    come once more at the end.
    """
    wiki = generate(case.setup["seed"], n_people=4 * case.setup["people"], n_never=0).wiki
    starts = {document[:4]: document for document in wiki}
    documents = list(starts.values())[: case.setup["people"]]
    few = (7, 4, 0, 2)
    sizes = (
        (text, text * 3, text[: few[number // 3 % 4]])[case.setup["mixed"] and number % 3]
        for number, text in enumerate(documents)
    )
    found = list(sizes)
    return found + found[: case.setup.get("twice", 0)]


def _again(
    got: Mapping[str, Any], weights: Any, shape: ModelConfig, start: Any, config: TrainConfig, steps: int, advice: str
) -> Replay:
    """The training, made again from its batches; ``steps`` of an epoch. Raises CheckFailed."""
    total = config.steps or (config.epochs or 0) * steps
    _require(got["kept"], "your code changes the list that was passed in: leave it as it is")
    _require(
        len(got["loss"]) == total,
        f"the number of steps is not what the data and config passed in ask for: {advice}, for the data of the argument alone",
    )
    _require(
        got["accuracy"] is not None and len(got["accuracy"]) == math.ceil(total / steps),
        f"the history that came back has not one accuracy for each epoch: {OPTIONS}, and return what it gives",
    )
    again = replayed(shape, start, got["batches"], config, steps)
    if again is None or len(again.loss) != total:
        raise CheckFailed(CALLED)
    off = not apart(start, weights, again.weights) < FAR  # weights may make it NaN
    _require(
        not off or difference(got["loss"][:1], again.loss[:1], (NEAR, NEAR)) is None,
        "the weights did not come from the model that was passed in: train that one, or a copy of it, and no new one",
    )
    _require(not off, f"the weights are not what config leads to: {advice}")
    return again


def _history_alone(got: Mapping[str, Any]) -> None:
    _require(not got["within"], "return the history alone: more than one thing came back")
    _require(got["length"] is None and got["loss"] is not None, "return the History that train gives")


def _called(got: Mapping[str, Any]) -> None:
    _require(got["called"], CALLED)
    lost = [str(name) for name in got["lost"]]
    if lost:
        raise CheckFailed(f"{listed(lost)} did not arrive at train: {OPTIONS}")


def _questions(student: Any, batches: Any, questions: Sequence[Question], config: TrainConfig, T: int) -> None:
    """Every question once per epoch, in the order that ``train`` draws from the seed for rows of these lengths.

    The loss counts on the answer and its end alone, or as in the notebook's own NameDataset, which is another exercise.
    """
    found, n, epochs = asked(batches, VOCAB, questions), len(questions), config.epochs or 0
    last = {(q.text, q.answer): k for k, q in enumerate(questions)}  # of equal ones a row is said to be the last
    numbers = [last[q.text, q.answer] for q in questions]
    whole = all(sorted(found[k * n : (k + 1) * n]) == sorted(numbers) for k in range(epochs))
    _require(
        whole and len(found) == epochs * n,
        "every question must be trained on once per epoch, with its answer as the target: "
        "NameDataset(questions, …), all questions and no others",
    )
    _require(
        exact(batches, VOCAB, questions) or among(batches, _own_items(student, questions, T)),
        "the rows that were trained on are not the items of NameDataset, with the loss on the answer and its last MASK alone",
    )
    rows = torch.zeros(n, T, dtype=torch.long)
    for number, (row, q) in enumerate(zip(rows, questions, strict=True)):
        row[: len(q.text) + len(q.answer or "") + 2] = number + 1
    order = [numbers[int(row[0]) - 1] for k in range(epochs) for x, _ in batches_of(rows, rows, config, k) for row in x]
    _require(found == order, f"the questions do not come in the order of the seed: {AS_IT_IS}")


def _own_items(student: Any, questions: Sequence[Question], T: int) -> Any:
    """The items of the notebook's own NameDataset, None where it makes none."""
    try:
        return student.tool(OWN_ITEMS)(student.NameDataset, questions, VOCAB, T)
    except (StudentError, CheckFailed):
        return None


def _corrupted(batches: Any, documents: Sequence[str], config: TrainConfig, T: int, steps: int) -> None:
    """Every document once per epoch, cut anew each time, in the order that ``train`` draws from the seed."""
    advice = "CharCorruptionDataset(documents, …), all documents as they are, with the model's block size"
    epochs = [batches[k : k + steps] for k in range(0, len(batches), steps)]
    first = sorted(map(documents.index, documents))
    before: list[Any] = []
    for number, epoch in enumerate(epochs):
        found = [_cut(x, y, documents) for xs, ys in epoch for x, y in zip(xs, ys, strict=True)]
        _require(all(at >= 0 for at, _ in found), f"what was trained on is no corruption of the documents: {advice}")
        places = [at for at, _ in found]
        whole = not Counter(places) - Counter(first) and (len(epoch) < steps or sorted(places) == first)
        _require(whole, f"an epoch must hold every document once: {advice}")
        if len(epoch) == steps:
            in_order = _ordered(epoch, found, documents, config, number, T)
            _require(in_order, f"the rows do not come in the order of the seed: {AS_IT_IS}")
            anew = len(documents) < ENOUGH or sorted(found) not in before
            _require(anew, "the same corruption was trained on twice: every epoch corrupts the documents anew")
            before.append(sorted(found))


def _cut(x: torch.Tensor, y: torch.Tensor, documents: Sequence[str]) -> tuple[int, str]:
    """Number of the document of which this row is a corruption, -1 for none, and the row's text."""
    ids = [*x.tolist(), int(y[-1])]
    text = VOCAB.decode(ids).rstrip(VOCAB.decode([VOCAB.pad_id]))
    parts = text.split(MASK)
    kept = "".join((parts[0], parts[2], parts[1])) if len(parts) == 3 else ""
    if len(parts) != 3 or (not parts[2] and len(kept) >= SHORTEST) or y.tolist() != ids[1:]:
        return -1, text
    return next(
        (k for k, d in enumerate(documents) if d.startswith(kept) and len(kept) >= min(SHORTEST, len(d))), -1
    ), text


def _ordered(
    epoch: Any, found: Sequence[tuple[int, str]], documents: Sequence[str], config: TrainConfig, number: int, T: int
) -> bool:
    """Whether the rows of an epoch come as ``train`` draws them for rows in the order of the documents.

    Which of two equal documents a row is from cannot be seen: either may be it.
    """
    texts_of: dict[str, list[str]] = {}
    for at, text in found:
        texts_of.setdefault(documents[at], []).append(text)
    for order in product(*(permutations(texts) for texts in texts_of.values())):
        left = {document: list(some) for document, some in zip(texts_of, order, strict=True)}
        rows = torch.full((len(documents), T + 1), VOCAB.pad_id)
        for row, document in zip(rows, documents, strict=True):
            text = left[document].pop()
            row[: len(text)] = torch.tensor(VOCAB.encode(text))
        drawn = list(batches_of(rows[:, :-1], rows[:, 1:], config, number))
        if len(drawn) == len(epoch) and all(
            x.shape == two.shape and bool(x.eq(two).all()) for (x, _), (two, _) in zip(drawn, epoch, strict=True)
        ):
            return True
    return False


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
