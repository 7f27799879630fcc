"""Runs of notebook 06: the answers of a trained model to the five probes, and saved trainings and tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
from matplotlib.figure import Figure
from torch import nn

from course_utils import plots
from course_utils.checks.answers import answer_key
from course_utils.corpora.stories import SEP, TOKENS, as_line, blanks, classes, corpus, gaps, prompts, tags, valid
from course_utils.lessons.probe_models import (
    MODELS,
    STEPS,
    Parts,
    continued,
    fill_blanks,
    fill_gaps,
    new_model,
    objective,
    read_out,
    states_of,
    train_by,
)
from course_utils.notebook.session import being_graded

PROBES = {
    "blank": "fill a blank (both sides needed)",
    "tag": "tag a word by a later cue",
    "continue": "continue validly",
    "gap": "fill a gap of unknown length",
    "classify": "classify a sentence",
}
TEXTS, QUESTIONS = 4000, 300

Answers = dict[str, tuple[list[list[int]], list[list[int]]]]


@dataclass(frozen=True)
class Texts:
    """The fingerprint that saved weights must have; for ``transfer.kept``."""

    fingerprint: str


def fingerprint() -> str:
    """A hash of the corpus and the numbers of steps, so that results of another corpus are not used."""
    content = json.dumps([TOKENS, corpus("fingerprint", 20), STEPS])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def texts_for(path: Path, seed: int, names: Sequence[str]) -> Texts:
    """What the weights in ``path`` must belong to: corpus, seed, and the current answers ``names`` of the notebook.

    Weights that belong to something else are removed, with a printed sentence, because an older answer trained them.
    """
    texts = Texts(f"{fingerprint()} seed {seed} answers {answer_key(names)}")
    if path.is_file() and not being_graded() and _belongs_to(path) != texts.fingerprint:
        path.unlink()
        older = f"was trained with other versions of {', '.join(names)} or on another corpus"
        print(f"({path.name} {older}: it is not used any more.)")
    return texts


def _belongs_to(path: Path) -> str | None:
    """The fingerprint that ``transfer.save`` wrote, None for a file that cannot be read."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            return (file.metadata() or {}).get("corpus")
    except (safetensors.SafetensorError, OSError):
        return None


def train_on(name: str, model: nn.Module, parts: Parts, seed: int, steps: int = 0) -> list[float]:
    """Train a model of MODELS on the corpus of this seed; its loss (nats) at every step. It ends in evaluation mode."""
    lines = [as_line(document) for document in corpus(f"texts {seed}", TEXTS)]
    return train_by(model, objective(name, model, parts, seed), lines, steps or STEPS[name], seed, name)


def pretrained(name: str, parts: Parts, seed: int, steps: int = 0) -> tuple[nn.Module, list[float]]:
    """A fresh model of MODELS after training, and its loss (nats) at every step."""
    model = new_model(name, parts, seed)
    return model, train_on(name, model, parts, seed, steps)


def answers(name: str, model: Any, seed: int, n: int = QUESTIONS) -> Answers:
    """For every probe, the model's answers and the right ones: two lists of n lists of ids (or labels).

    In ``continue`` an answer is [1] where the grammar can write the model's two sentences, else [0]; [1] is right.
    """
    found: Answers = {}
    holes, spans = blanks(f"test {seed}", n), gaps(f"test {seed}", n)
    found["blank"] = fill_blanks(name, model, holes), [p.answer for p in holes]
    found["tag"] = _tagged(name, model, seed, n)
    starts = prompts(f"test {seed}", n)
    sentences = continued(name, model, starts, seed)
    found["continue"] = [[int(valid([*p, *s, SEP]))] for p, s in zip(starts, sentences, strict=True)], [[1]] * n
    found["gap"] = fill_gaps(name, model, spans), [p.answer for p in spans]
    found["classify"] = _classified(name, model, seed, n)
    return found


def _tagged(name: str, model: Any, seed: int, n: int) -> tuple[list[list[int]], list[list[int]]]:
    """Senses predicted by a linear classifier from the frozen state at the ambiguous word."""
    parts = []
    for which in (f"fit {seed}", f"test {seed}"):
        found = tags(which, n)
        states = states_of(name, model, [tag.line for tag in found])  # (n, T, D)
        parts.append((states[range(n), [tag.place for tag in found]], [tag.label for tag in found]))  # (n, D)
    said = read_out(*parts[0], parts[1][0])
    return [[k] for k in said], [[k] for k in parts[1][1]]


def _classified(name: str, model: Any, seed: int, n: int) -> tuple[list[list[int]], list[list[int]]]:
    """Kinds predicted by a linear classifier from the mean state of a sentence (all lines have the same length)."""
    parts = []
    for which in (f"fit {seed}", f"test {seed}"):
        lines, labels = classes(which, n)
        parts.append((states_of(name, model, lines).mean(1), labels))  # (n, T, D) -> (n, D)
    said = read_out(*parts[0], parts[1][0])
    return [[k] for k in said], [[k] for k in parts[1][1]]


def scores_of(found: Answers, share: Callable[[Sequence, Sequence], float]) -> dict[str, float]:
    """One number per probe from a scoring function (answers, right answers) -> 0..1."""
    return {probe: share(*pair) for probe, pair in found.items()}


def table_figure(runs: Sequence[dict[str, Any]]) -> Figure:
    """The table as a figure: for every probe and model the mean over runs and a whisker from the lowest to the highest."""
    figure, (ax,) = plots.new_figure(9.4, 4.4)
    for k, name in enumerate(MODELS):
        values = [[100 * run["scores"][name][probe] for run in runs] for probe in PROBES]
        means = [sum(v) / len(v) for v in values]
        xs = [i + 0.17 * (k - 1.5) for i in range(len(PROBES))]
        ends = [
            [m - min(v) for m, v in zip(means, values, strict=True)],
            [max(v) - m for m, v in zip(means, values, strict=True)],
        ]
        look: dict[str, Any] = {
            "color": plots.COLOURS[k],
            "marker": plots.MARKERS[k],
            "markersize": 8,
            "capsize": 4,
            "linestyle": "",
        }
        ax.errorbar(xs, means, ends, label=name, **look)
    ax.set_xticks(
        range(len(PROBES)),
        [text.replace(" (", "\n(").replace(" by ", "\nby ").replace(" of ", "\nof ") for text in PROBES.values()],
    )
    ax.set(ylabel=f"right answers (%), {len(runs)} seeds", ylim=(-3, 105))
    for i in range(len(PROBES) - 1):
        ax.axvline(i + 0.5, color="#BBBBBB", linewidth=0.8)
    ax.grid(visible=False, axis="x")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure


def in_words(runs: Sequence[dict[str, Any]]) -> str:
    """The table as sentences, for those who do not see the figure."""
    parts = []
    for probe, text in PROBES.items():
        means = [sum(run["scores"][name][probe] for run in runs) / len(runs) for name in MODELS]
        parts.append(f"{text}: " + ", ".join(f"{name} {100 * m:.0f} %" for name, m in zip(MODELS, means, strict=True)))
    return "; ".join(parts)
