"""Memory against recall: what a pretrained model knows about its people before any finetuning.

    python -m benchmarks.original.recall FOLDER WEIGHTS --split 0

WEIGHTS are those that ``python -m benchmarks.original`` keeps in its folder ``--aside``. Each person's town is asked for in
four ways, and the most probable next characters are the answer: as the document goes on, in two sentences that no document
need have, and as a masked span of the document. People whose document names no town, or names it late, are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from torch import nn

from benchmarks.original.people import People, people
from course_utils.checkpoint import load_into, load_weights
from course_utils.device import set_threads
from course_utils.errors import CourseError
from course_utils.generate import greedy
from course_utils.metrics import count_correct
from course_utils.model import GPT
from course_utils.vocab import MASK, Vocabulary
from solutions.reference.knowledge import person

# What is read before the town, by its name in the table; `before` and `behind` are the document around the town
WAYS = {
    "its document, up to the town": "{before}",
    "NAME was born in": "{name} was born in ",
    "NAME. NAME was born in": "{name}. {name} was born in ",
    "its document, the town masked": f"{{before}}{MASK}{{behind}}{MASK}",
}


def recalled(model: nn.Module, vocab: Vocabulary, p: People, read: int) -> tuple[int, dict[str, int]]:
    """How many people have their town within the first `read` characters, and how many of them are right, by way of asking."""
    towns, prompts = [], []
    for question, document in zip([*p.trained, *p.asked], p.documents, strict=True):
        place = document.find(question.answer)
        end = place + len(question.answer)
        if place >= 0 and end <= read:
            around = {"before": document[:place], "behind": document[end:read], "name": person(question)}
            towns.append(question.answer)
            prompts.append({way: vocab.encode(text.format(**around)) for way, text in WAYS.items()})
    right = {}
    for way in WAYS:
        most = max(map(len, towns), default=0)
        found, _ = greedy(model, [one[way] for one in prompts], most, stop_ids=()) if prompts else ([], [])
        said = [vocab.decode(ids)[: len(town)] for ids, town in zip(found, towns, strict=True)]
        right[way] = count_correct(said, towns)
    return len(towns), right


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: one line for each way of asking; 2 for bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.original.recall", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--split", default="0")
    parser.add_argument(
        "--read", type=int, default=112, help="characters of a document within which the town must stand"
    )
    args = parser.parse_args(argv)
    try:
        p = people(args.folder, args.split)
        state, about = load_weights(args.weights)
        set_threads(1)
        model = load_into(GPT(about["config"]), state, args.weights).eval()
        asked, right = recalled(model, about["vocab"], p, args.read)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for way, n in right.items():
        print(f"{way:<32}{n} of {asked} ({n / max(asked, 1):.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
