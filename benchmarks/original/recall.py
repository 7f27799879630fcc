"""Memory against recall: what a pretrained model knows about its people before any finetuning.

    python -m benchmarks.original.recall FOLDER WEIGHTS --split 0

WEIGHTS are those that ``python -m benchmarks.original`` keeps in its folder ``--aside``. Each person's town is asked for in
four ways, and the most probable next characters are the answer: as the document goes on, in two sentences that no document
need have, and as a masked span of the document. People whose document names no town, or names it late, are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from benchmarks.original.people import People, people
from course_utils.checkpoint import load_into, load_weights
from course_utils.device import set_threads
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.vocab import MASK, Vocabulary
from solutions.reference.knowledge import person

WAYS: dict[
    str, Callable[[str, str, str, int], str]
] = {  # of name, text before the town, text behind it, characters read
    "its document, up to the town": lambda name, before, after, read: before,
    "NAME was born in": lambda name, before, after, read: f"{name} was born in ",
    "NAME. NAME was born in": lambda name, before, after, read: f"{name}. {name} was born in ",
    "its document, the town masked": lambda name, before, after, read: f"{before}{MASK}{after[:read]}{MASK}",
}


@torch.no_grad()
def continued(model: nn.Module, vocab: Vocabulary, prompt: str, n: int) -> str:
    """The n characters that follow, each the most probable one."""
    ids = vocab.encode(prompt)
    for _ in range(n):
        logits = model(torch.tensor([ids]))  # (1, t, V)
        ids.append(int(logits[0, -1].argmax()))
    return vocab.decode(ids[-n:])


def recalled(model: nn.Module, vocab: Vocabulary, p: People, read: int) -> tuple[int, dict[str, int]]:
    """How many people have their town within the first `read` characters, and how many of them are right, by way of asking."""
    asked, right = 0, dict.fromkeys(WAYS, 0)
    for question, document in tqdm(list(zip([*p.trained, *p.asked], p.documents, strict=True)), file=sys.stderr):
        place = document.find(question.answer)
        end = place + len(question.answer)
        if place < 0 or end > read:
            continue
        asked += 1
        for way, prompt in WAYS.items():
            text = prompt(person(question), document[:place], document[end:], read - end)
            right[way] += continued(model, vocab, text, len(question.answer)) == question.answer
    return asked, right


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
