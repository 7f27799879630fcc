"""Helpers of notebook 05: positions, batches of reviews, and saved results."""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import safetensors
import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from course_utils.corpora.reviews import (
    ABOUT,
    ASPECTS,
    MARK,
    NEUTRAL,
    OPENINGS,
    PHRASES,
    SAYS,
    VERDICTS,
    read_labels,
    read_pieces,
    read_reviews,
)
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.lessons.pretraining import similar_lengths
from course_utils.notebook.session import being_graded

PAD, SOS, EOS, UNK = range(4)
SPECIAL = ("<pad>", "<sos>", "<eos>", "<unk>")
LONGEST = 63  # pieces of a review that a model reads; with <sos> they are 64 tokens
WINDOW = 16  # batches of language modelling whose texts are sorted by length together
MOST_POSITIONS = 1024
SIZES = (64, 4, 2, 128, 0.1)
"""The notebook's model: width, heads, layers, feed-forward width, dropout."""

Batch = tuple[Tensor, Tensor]


@lru_cache(maxsize=8)
def _signs(d: int) -> Tensor:
    bits = torch.rand(MOST_POSITIONS, d, generator=torch.Generator().manual_seed(1706))
    return (bits < 0.5).float() * 2 - 1


def position_table(T: int, d: int) -> Tensor:
    """T fixed vectors of d random signs, float32 (T, d): always the same, not trained, nearly orthogonal to each other.

    Each call gives a copy, so that a change in place spoils no later one. Raises CourseError for more than 1,024 positions.
    """
    if T > MOST_POSITIONS:
        raise CourseError(f"There are {MOST_POSITIONS} positions, not {T}; cut the texts.")
    return _signs(d)[:T].clone()


# ------------------------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class ReviewData:
    """The texts of a folder of reviews, and its vocabulary.

    Attributes:
        train, dev: texts with labels 0 or 1.
        unlabelled: texts to pretrain on; those of ``train`` where the folder has no others.
        test: texts whose labels the grader has; may be empty.
        pieces: the vocabulary, most frequent first.
    """

    train: list[str]
    train_labels: list[int]
    dev: list[str]
    dev_labels: list[int]
    unlabelled: list[str]
    test: list[str]
    pieces: list[str]

    @property
    def fingerprint(self) -> str:
        """A hash of texts and vocabulary, so that weights are not used with other ones."""
        content = json.dumps([self.pieces, self.train, len(self.unlabelled)], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def load_reviews(folder: str | Path, most_pieces: int = 3000) -> ReviewData:
    """Read ``train``, ``dev`` and, where they are, ``unlabelled`` and ``test`` reviews and ``dict.txt`` of a folder.

    Raises CourseError that names a missing or malformed file.
    """
    folder = Path(folder)
    texts = {name: read_reviews(folder, name) for name in ("train", "dev")}
    for name in ("unlabelled", "test"):
        texts[name] = read_reviews(folder, name) if (folder / f"{name}.review.spm").is_file() else []
    pieces = read_pieces(folder, [*texts["train"], *texts["unlabelled"]], most_pieces)
    labels = {name: read_labels(folder, name) for name in ("train", "dev")}
    unlabelled = texts["unlabelled"] or texts["train"]
    return ReviewData(texts["train"], labels["train"], texts["dev"], labels["dev"], unlabelled, texts["test"], pieces)


def corpus_entropy(folder: str | Path) -> float | None:
    """Entropy in nats (natural logarithm) per token, as the generator wrote it into ``manifest.json``; None without one."""
    path = Path(folder) / "manifest.json"
    if not path.is_file():
        return None
    try:
        words = str(json.loads(path.read_text(encoding="utf-8"))["description"]).split()
        return float(words[words.index("nats") - 1])
    except (ValueError, KeyError, TypeError):
        return None


def bag_of_words(data: ReviewData) -> float:
    """Accuracy on dev of a naive Bayes classifier that counts the pieces of the labelled texts."""
    counts = torch.ones(2, len(data.pieces))  # add-one smoothing, so that no probability is 0
    place = {piece: k for k, piece in enumerate(data.pieces)}
    for text, label in zip(data.train, data.train_labels, strict=True):
        for piece in text.split():
            if piece in place:
                counts[label, place[piece]] += 1
    weight = (counts / counts.sum(1, keepdim=True)).log().diff(dim=0)[0]  # (2, V) -> (V,)
    scores = [sum(float(weight[place[p]]) for p in text.split() if p in place) for text in data.dev]
    return sum((s > 0) == bool(y) for s, y in zip(scores, data.dev_labels, strict=True)) / len(scores)


def word_vectors_alone(table: Tensor, encoded: Mapping[str, Sequence[Sequence[int]]], data: ReviewData) -> float:
    """Accuracy on dev of a logistic regression on the mean word vector of a review, fitted to the labelled texts.

    Args:
        table: one vector per id (V, D), which are not trained any further.
        encoded: ids of the texts ``train`` and ``dev`` of ``data``.
    """
    table = table.detach()
    x, dev = (torch.stack([table[torch.tensor(row)].mean(0) for row in encoded[name]]) for name in ("train", "dev"))
    middle, width = x.mean(0), x.std(0)
    weight = torch.zeros(table.shape[1] + 1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], max_iter=200)
    target = torch.tensor(data.train_labels, dtype=x.dtype)

    def score(rows: Tensor) -> Tensor:
        return (rows - middle) / width @ weight[:-1] + weight[-1]  # (N, D) -> (N,)

    def loss() -> Tensor:
        optimizer.zero_grad()
        # the penalty keeps the weights finite where the labelled texts can be told apart without an error
        value = F.binary_cross_entropy_with_logits(score(x), target) + 0.01 * weight[:-1].square().sum()
        value.backward()
        return value

    optimizer.step(loss)  # type: ignore[arg-type]
    with torch.no_grad():
        return float(((score(dev) > 0).long() == torch.tensor(data.dev_labels)).float().mean())


def batches(
    texts: Sequence[Sequence[int]], make: Callable[[list[Sequence[int]]], Batch], size: int, seed: int
) -> list[Batch]:
    """The batches ``make(rows)`` of one epoch of language modelling: rows of similar length together, in random order."""
    rng = random.Random(seed)
    order = rng.sample(range(len(texts)), len(texts))
    groups = similar_lengths(order, [len(text) for text in texts], size, WINDOW)
    rng.shuffle(groups)
    return [make([texts[i] for i in group]) for group in groups]


def labelled_batches(
    texts: Sequence[Sequence[int]],
    labels: Sequence[int],
    make: Callable[[list[Sequence[int]]], Batch],
    size: int,
    seed: int | None,
) -> list[Batch]:
    """Batches (ids (B, T), labels (B,)): the inputs of ``make`` without its targets; shuffled if there is a seed."""
    order = list(range(len(texts)))
    if seed is not None:
        random.Random(seed).shuffle(order)
    groups = [order[i : i + size] for i in range(0, len(order), size)]
    return [(make([texts[i] for i in group])[0], torch.tensor([labels[i] for i in group])) for group in groups]


def scheduled(optimizer: torch.optim.Optimizer, steps: int, warmup: int = 100) -> torch.optim.Optimizer:
    """The optimiser with a schedule: its learning rate rises for ``warmup`` steps, then falls linearly to 2 % at ``steps``.

    A hook after every ``optimizer.step()`` sets the rate, so the training loop need not call anything.
    """
    warmup = min(warmup, max(1, steps // 10))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / warmup, max(0.02, (steps - s) / steps))
    )
    optimizer.register_step_post_hook(lambda *_: schedule.step())
    return optimizer


# ------------------------------------------------------------------------------------------------------ generated texts

PATTERNS = (*ABOUT, *SAYS, *VERDICTS, *NEUTRAL, *OPENINGS)


def _sentence_forms() -> re.Pattern[str]:
    """A pattern of all sentences of the generator: its sentence patterns with any invented word in the placeholders."""
    word = rf"{MARK}[a-z]{{4,5}}"
    lists = {"{owns}": rf"{word}(?:(?: , {word})? {MARK}and {word})?", "{others}": rf"{word}(?: {MARK}or {word})?"}
    holes = {"{a}": f"{MARK}(?:{'|'.join(ASPECTS)})"} | dict.fromkeys(("{t}", "{n}", "{own}", "{other}"), word) | lists

    def form(pattern: str) -> str:
        return " ".join(holes.get(t, re.escape(t if t in ".,:" else MARK + t)) for t in pattern.split())

    holes["{p}"] = f"(?:{'|'.join(form(pattern) for patterns in PHRASES for pattern in patterns)})"
    return re.compile("|".join(map(form, PATTERNS)))


def well_formed(texts: Sequence[str], most: int = 6) -> list[tuple[int, int]]:
    """For the 1st, 2nd, … sentence of generated reviews: how many the generator could have written, and how many there are.

    Sentences end in a piece ``.``; pieces after the last full stop are ignored, since the text may have been cut there.
    """
    form = _sentence_forms()
    counts = [[0, 0] for _ in range(most)]
    for text in texts:
        sentences = [part.strip() + " ." for part in text.split(" .")[:-1]]
        for count, sentence in zip(counts, sentences, strict=False):
            count[0] += form.fullmatch(sentence) is not None
            count[1] += 1
    return [(good, n) for good, n in counts if n]


# ----------------------------------------------------------------------------------------------------- saved results


def kept(
    path: Path, data: ReviewData, build: Callable[[], nn.Module], train: Callable[[nn.Module], list[float]], needs: str
) -> tuple[nn.Module | None, list[float]]:
    """The model saved in ``path`` with its history, or a new one, trained and saved; (None, []) if that is not possible.

    Args:
        build: makes the model; torch is seeded before, so that a run can be repeated.
        train: trains it and returns one loss per epoch.
        needs: exercises that must be solved, named in the printed sentence.
    """
    try:
        torch.manual_seed(0)
        model = build()
        found = _load(path, data, model)
        if found is not None:
            print(f"{path.stem}: loaded from {path.name}; delete that file to train anew.")
            return model.eval(), found
        if being_graded():
            print(f"({path.stem}: {path.name} was not handed in or fits another model, and grading does not train.)")
            return None, []
        begin = time.monotonic()
        history = [float(loss) for loss in train(model)]
    except NotImplementedError:
        print(f"({path.stem}: this cell trains once you have solved {needs}.)")
        return None, []
    except Exception as error:  # an incorrect answer may fail in any way, and the notebook must run on
        print(f"({path.stem}: stopped with {type(error).__name__}: {error}. Look at the checks of {needs} first.)")
        return None, []
    save(path, model, data, history)
    print(f"{path.stem}: trained in {time.monotonic() - begin:.0f} s, kept in {path.name}.")
    return model.eval(), history


def save(path: Path, model: nn.Module, data: ReviewData, history: Sequence[float] = ()) -> None:
    """Write the weights as safetensors, atomically, with the history and the corpus they belong to."""
    tensors = {name: t.detach().cpu().contiguous().clone() for name, t in model.state_dict().items()}
    about = {"corpus": data.fingerprint, "history": json.dumps(list(history))}
    write_atomically(path, safetensors.torch.save(tensors, about))


def _load(path: Path, data: ReviewData, model: nn.Module) -> list[float] | None:
    """Fill the model from the file and return the history; None, with a printed sentence, if the file does not fit."""
    if not path.is_file():
        return None
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
        if about.get("corpus") != data.fingerprint:
            raise ValueError("it was trained on other reviews")
        model.load_state_dict(state)
        return [float(x) for x in json.loads(about.get("history", "[]"))]
    except (safetensors.SafetensorError, OSError, ValueError, RuntimeError) as error:
        print(f"({path.name} is not used: {str(error).splitlines()[0]})")
        return None


Curves = dict[str, list[list[float]]]


def kept_curves(
    path: Path,
    data: ReviewData,
    conditions: Sequence[str],
    seeds: int,
    run: Callable[[str, int], list[float]],
    needs: str,
) -> Curves | None:
    """``{condition: [run(condition, seed) for every seed]}``, saved as JSON in ``path``.

    None, with a sentence, where the runs are not possible: in grading, or before ``needs`` is solved.
    """
    if path.is_file():
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["corpus"] == data.fingerprint and len(content["curves"][conditions[0]]) == seeds:
                print(f"{path.stem}: read from {path.name}; delete that file to run anew.")
                return content["curves"]
        except (ValueError, KeyError, TypeError):
            print(f"({path.name} cannot be read; the runs are made anew.)")
    if being_graded():
        return None
    curves: Curves = {condition: [] for condition in conditions}
    try:
        for seed, condition in tqdm([(s, a) for s in range(seeds) for a in conditions], desc="runs", disable=None):
            curve = [float(a) for a in run(condition, seed)]
            if not all(0 <= a <= 1 for a in curve):  # if saved, it would still be read after the answer is corrected
                raise CourseError(f"an accuracy must be a share between 0 and 1, not {max(curve, key=abs):g}")
            curves[condition].append(curve)
    except NotImplementedError:
        print(f"({path.stem}: these runs start once you have solved {needs}.)")
        return None
    except Exception as error:  # as above
        print(f"({path.stem}: stopped with {type(error).__name__}: {error}. Look at the checks of {needs} first.)")
        return None
    write_atomically(path, json.dumps({"corpus": data.fingerprint, "curves": curves}) + "\n")
    return curves
