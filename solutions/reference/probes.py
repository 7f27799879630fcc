"""Reference answers of notebook 06, second half: scoring probes over seeds, senses in states, tasks as text."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.corpora.stories import CLS, LONGEST, SEP, TASKS, VOCAB, answer_of, encode
from course_utils.errors import CourseError
from course_utils.lessons.probe_models import MODELS, Seq2Seq, written
from course_utils.lessons.probe_runs import PROBES
from course_utils.metrics import mean_interval

LEAST_SEEDS, MARGIN = 3, 0.1
CHOICES = {
    "summarise": "encoder-decoder",
    "sentiment": "encoder",
    "retrieval": "encoder",
    "translate": "encoder-decoder",
    "story": "decoder",
    "tag words": "encoder",
}
_ASKED = {
    "summarise": "summarising: a new text about one that is given as a whole",
    "sentiment": "sentiment: a class for a text that is given as a whole, nothing is written",
    "retrieval": "retrieval: a vector for each document, nothing is written",
    "translate": "translating: a new text about one that is given as a whole",
    "story": "a story: one text is carried on, nothing else has to be read from both sides",
    "tag words": "tagging words: a class for each word, which what follows may decide; nothing is written",
}
_LACKS = {
    "encoder": "an encoder does not write",
    "decoder": "a decoder's states see the left side only",
    "encoder-decoder": "a second stack has nothing to do there",
}


def why_not(task: str, kind: str) -> str:
    """What speaks against a wrong choice."""
    return f"{_ASKED[task]}; {_LACKS.get(kind, 'name one of the three kinds')}"


def choose(task: str) -> str:
    """The kind of model for a task of the table. Raises ValueError for others."""
    if task not in CHOICES:
        raise ValueError(f"no rule for {task!r}")
    return CHOICES[task]


def exact_share(answers: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    """Share of answers that equal the right one, word by word and in length."""
    return sum(list(a) == list(b) for a, b in zip(answers, right, strict=True)) / len(right)


def _by_seed(runs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One run per seed, the first where a seed comes again. Raises ValueError for fewer than three seeds."""
    found: dict[Any, Mapping[str, Any]] = {}
    for run in runs:
        found.setdefault(run["seed"], run)
    if len(found) < LEAST_SEEDS:
        raise ValueError("three seeds are needed")
    return list(found.values())


def summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """``{model: {probe: (mean, low, high)}}`` over seeds, 95 % interval by Student's t."""
    different = _by_seed(runs)
    first = different[0]["scores"]
    return {m: {p: mean_interval([run["scores"][m][p] for run in different]) for p in first[m]} for m in first}


def alone(runs: Sequence[Mapping[str, Any]], probe: str, margin: float = MARGIN) -> str | None:
    """The model that is ahead of every other by ``margin`` or more in every seed; None if there is none."""
    leaders = set()
    for run in _by_seed(runs):
        ranked = sorted(((found[probe], model) for model, found in run["scores"].items()), reverse=True)
        leaders.add(ranked[0][1] if ranked[0][0] - ranked[1][0] >= margin - 1e-9 else None)
    return leaders.pop() if len(leaders) == 1 else None


def same_sense(states: Tensor, senses: Sequence[int], k: int) -> float:
    """Mean share of each state's k nearest others, by cosine, that have its sense; states (N, D)."""
    unit = torch.nn.functional.normalize(states, dim=-1)
    near = (unit @ unit.T).fill_diagonal_(-2).topk(k, -1).indices  # (N, N) -> (N, k)
    labels = torch.as_tensor(senses)
    return float((labels[near] == labels[:, None]).float().mean())


def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    """Rows of table (V, D) with the largest cosine to vector (D,), best first."""
    return torch.cosine_similarity(vector[None], table, dim=-1).topk(k).indices.tolist()


def as_text(task: str, sentence: Sequence[int]) -> tuple[list[int], list[int]]:
    """``[CLS] task sentence [SEP]`` and ``answer [SEP]`` for a sentence of the sense sort."""
    return [CLS, *encode(task), *sentence, SEP], [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: Sequence[Sequence[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    """Every sentence once for each task, in random order."""
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    rng.shuffle(pairs)
    return pairs


# ------------------------------------------------------------------------------------------- what was handed in


def require_table(c: Any, table: Any) -> None:
    """A table of probes is complete, has three seeds at least, and the claims of the text with the right sign.

    Releases of version 0.1 judge a handed-in table by this; since then only the given table is held to it, by a test.
    """
    runs: Any = table.get("runs") if isinstance(table, dict) else None
    c.that(
        isinstance(runs, list) and bool(runs), "probe_table.json must be a dictionary whose 'runs' is a list of runs"
    )
    whole = all(isinstance(run, dict) and "seed" in run and isinstance(run.get("scores"), dict) for run in runs)
    c.that(whole, "each run in probe_table.json needs 'seed' and 'scores'")
    for run in runs:
        _require_scores(c, run["scores"])
    several = len({str(run["seed"]) for run in runs}) >= LEAST_SEEDS
    c.that(several, "probe_table.json holds fewer than three seeds: one run is an anecdote")
    mean = {m: {p: sum(run["scores"][m][p] for run in runs) / len(runs) for p in PROBES} for m in MODELS}
    for probe, model in {"blank": "BERT", "continue": "GPT", "gap": "T5"}.items():
        rest = max(found[probe] for name, found in mean.items() if name != model)
        hint = f"probe_table.json says that {model} is not the best at '{probe}'; was it trained with all its steps?"
        c.that(mean[model][probe] > rest + 0.02, hint)
    cue = min(mean["ELMo"]["tag"], mean["BERT"]["tag"]) > mean["GPT"]["tag"] + 0.15
    c.that(
        cue,
        "in probe_table.json GPT tags as well as ELMo and BERT, though it has not read the later cue: was it causal?",
    )


def _require_scores(c: Any, scores: Mapping[str, Any]) -> None:
    c.that(set(scores) == set(MODELS), f"a run needs all four models: {', '.join(MODELS)}")
    for found in scores.values():
        c.that(
            isinstance(found, dict) and set(found) == set(PROBES), "a model needs a score for each of the five probes"
        )
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) and 0 <= x <= 1 for x in found.values())
        c.that(numbers, "scores are shares from 0 to 1, not percentages or texts")


def model_from_weights(weights: Mapping[str, Tensor]) -> Seq2Seq:
    """The Seq2Seq whose weights these are. Raises CourseError that names what does not fit."""
    model = Seq2Seq(VOCAB, LONGEST).eval()
    for name, mine in model.state_dict().items():
        theirs = tuple(weights[name].shape) if name in weights else "missing"
        if theirs != tuple(mine.shape):
            raise CourseError(
                f"the weights do not fit this notebook's Seq2Seq: {name} is {theirs}, not {tuple(mine.shape)}"
            )
    model.load_state_dict({name: weights[name].float() for name in model.state_dict()})
    return model


def two_task_faults(weights: Mapping[str, Tensor], sentences: Sequence[Sequence[int]]) -> str:
    """Why the handed-in model does not answer both tasks by their prefixes, on sentences that it has not seen; "" if it does.

    Raises CourseError that names what does not fit.
    """
    model = model_from_weights(weights)
    own, swapped = (task_accuracies(model, sentences, turn) for turn in (False, True))
    if max(own.values()) <= 0.6:
        return "the handed-in model answers neither task: is it the finetuned one?"
    if min(own.values()) < 0.9:
        return "the handed-in model answers one task only, as if there were no prefix: train on both tasks with their prefixes"
    if max(swapped.values()) >= 0.1:
        return "with the prefixes exchanged the handed-in model answers as before, so it ignores the prefix"
    return ""


def require_two_tasks(c: Any, weights: Mapping[str, Tensor], sentences: Sequence[Sequence[int]]) -> None:
    """What checks of releases made by version 0.1 ask of a handed-in model: the same as :func:`two_task_faults`."""
    try:
        fault = two_task_faults(weights, sentences)
    except CourseError as error:
        fault = str(error)
    c.that(not fault, fault)


def task_accuracies(model: Seq2Seq, sentences: Sequence[Sequence[int]], swapped: bool = False) -> dict[str, float]:
    """Share of exact answers for each task; with ``swapped`` each sentence gets the other task's prefix."""
    found = {}
    for task, other in zip(TASKS, reversed(TASKS), strict=True):
        sources = [as_text(other if swapped else task, s)[0] for s in sentences]
        right = [as_text(task, s)[1][:-1] for s in sentences]
        found[task] = exact_share(written(model, sources, 2, (SEP,)), right)
    return found
