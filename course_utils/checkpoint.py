"""Weights in files: written, read, and trained where there are none yet.

Weights are safetensors: tensors and text, never code, so a file from an unknown source can be opened safely. The
architecture and the vocabulary stand in the file's metadata. Files are replaced atomically.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from course_utils.config import ModelConfig
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.vocab import Vocabulary

if TYPE_CHECKING:
    from course_utils.engine.history import History

FORMAT = "course-gpt-1"


def save_weights(
    path: str | Path,
    model: GPT,
    vocab: Vocabulary,
    config: ModelConfig | None = None,
    extra: dict[str, Any] | None = None,
) -> None:
    """Write the weights with their architecture, vocabulary and `extra` (any value that JSON can hold)."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {
        "format": FORMAT,
        "config": json.dumps(asdict(config or model.config)),
        "vocabulary": vocab.to_json(),
        "extra": json.dumps(extra or {}),
    }
    tensors = {name: t.detach().cpu().contiguous() for name, t in model.state_dict().items()}
    write_atomically(path, safetensors.torch.save(tensors, metadata))


def load_weights(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors by name, and {"config": ModelConfig, "vocab": Vocabulary, "extra": dict}, all on the CPU.

    Raises CourseError if the file is missing, truncated, or of another kind.
    """
    path = Path(path)
    if not path.is_file():
        raise CourseError(f"There is no weights file {path}; train first, or give another path.")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (safetensors.SafetensorError, OSError) as error:
        raise CourseError(f"{path} is not a whole safetensors file ({error}); save or download it again.") from None
    return state, _read_metadata(path, metadata)


def _read_metadata(path: Path, metadata: dict[str, str]) -> dict[str, Any]:
    """Architecture, vocabulary and extra out of the text that the file carries."""
    if metadata.get("format") != FORMAT:
        raise CourseError(f"{path} was not written by save_weights: its metadata lacks the format {FORMAT!r}.")
    try:
        config, extra = json.loads(metadata["config"]), json.loads(metadata["extra"])
        vocab = Vocabulary.from_json(metadata["vocabulary"])
        return {"config": ModelConfig.from_dict(config), "vocab": vocab, "extra": extra}
    except (KeyError, ValueError, AttributeError, TypeError, CourseError) as error:
        raise CourseError(f"{path} carries metadata that cannot be read ({error}); save it again.") from None


def load_model(path: str | Path, vocab: Vocabulary | None = None, device: str | torch.device = "cpu") -> GPT:
    """The model of a weights file, in evaluation mode. With `vocab`, the file's must be the same characters.

    Raises CourseError if the file cannot be read, the tensors do not fit the architecture it names, its attention is not
    registered, or the vocabulary differs.
    """
    state, meta = load_weights(path)
    config: ModelConfig = meta["config"]
    if vocab is not None:
        _same_vocabulary(path, meta["vocab"], vocab)
    # An unknown file's metadata could name a model of any size. Its tensors cannot be larger than the file: compare first.
    layers = {name.split(".")[1] for name in state if name.startswith("blocks.")}
    table = tuple(state["token.weight"].shape) if "token.weight" in state else ()
    positions = tuple(state["position.weight"].shape) if "position.weight" in state else None
    expected = (config.block_size, config.n_embd) if config.position == "learned" else None
    if len(layers) != config.n_layer or table != (config.vocab_size, config.n_embd) or positions != expected:
        raise CourseError(f"{path}: the tensors do not belong to the architecture named in the file; save it again.")
    return load_into(GPT(config), state, path).to(device).eval()


def load_into(model: GPT, state: dict[str, Tensor], path: str | Path) -> GPT:
    """Copy the tensors into the model; CourseError names the first that is missing, too many, or of another shape."""
    own = model.state_dict()
    for name in sorted(set(own) | set(state)):
        mine, theirs = (tuple(s[name].shape) if name in s else "absent" for s in (own, state))
        if mine != theirs:
            raise CourseError(
                f"{path} is of another architecture: {name} is {theirs} in the file and {mine} in the model; "
                f"use the same variant and sizes as in training."
            )
    model.load_state_dict(state)
    return model


def _same_vocabulary(path: str | Path, theirs: Vocabulary, mine: Vocabulary) -> None:
    """Raise CourseError that names the first difference between the file's vocabulary and the one in use."""
    if theirs == mine:
        return
    differing = sorted(set(theirs.itos) ^ set(mine.itos))
    raise CourseError(
        f"{path} was trained with another vocabulary ({len(theirs)} characters, here {len(mine)}; "
        f"only one of them has {differing[0]!r}); use the corpus that it was pretrained on."
    )


def train_or_load(
    path: str | Path,
    build: Callable[[], GPT],
    train_fn: Callable[[GPT], History],
    vocab: Vocabulary,
) -> tuple[GPT, History]:
    """The model saved in `path`, or a new one from `build()`, trained by `train_fn(model)` and saved there.

    If the file does not fit what `build()` makes, the model is trained anew and the file replaced. While a submission is
    graded (environment COURSE_GRADING=1) nothing is trained: CourseError if no fitting file can be loaded.
    """
    from course_utils.engine.history import History  # here: train needs this module's state files

    path, model = Path(path), build()
    problem = "not handed in"
    if path.is_file():
        try:
            state, meta = load_weights(path)
            _same_vocabulary(path, meta["vocab"], vocab)
            return load_into(model, state, path).eval(), History(**meta["extra"].get("history", {}))
        except CourseError as error:
            problem = str(error)
            print(f"Training anew: {problem}")
    if os.environ.get("COURSE_GRADING") == "1":
        raise CourseError(f"{path.name} cannot be loaded, and grading does not train: {problem}.".replace("..", "."))
    history = train_fn(model)
    save_weights(path, model, vocab, extra={"history": asdict(history)})
    return model, history
