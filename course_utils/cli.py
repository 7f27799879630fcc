"""Pretraining, finetuning and evaluation from a shell.

    python -m course_utils.cli pretrain vanilla data/world/wiki.txt --writing_params_path work/pretrained.safetensors
    python -m course_utils.cli finetune vanilla data/world/wiki.txt --reading_params_path work/pretrained.safetensors \\
        --writing_params_path work/finetuned.safetensors --finetune_corpus_path data/world/birth_places_train.tsv
    python -m course_utils.cli evaluate vanilla data/world/wiki.txt --reading_params_path work/finetuned.safetensors \\
        --eval_corpus_path data/world/birth_dev.tsv --outputs_path work/dev_predictions.txt
    python -m course_utils.cli describe charcorruption

The layout of questions and the cutting of spans are exercises of notebook 07. These commands take your answers from
`work/07_knowledge/my_answers.py`, which the notebook's last cells save, or from the file given by `--answers`. To
resume an interrupted training, give the same command again. Exit code 0: done, 2: something in the input is wrong (one
line says what), 130: stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from course_utils.attention import ATTENTION, attention_class
from course_utils.checkpoint import load_model, load_weights, save_weights
from course_utils.checks.answers import line_in_file, load_module
from course_utils.config import ModelConfig, Profile, TrainConfig, detect_profile, profile
from course_utils.data import Question, Task, describe, read_questions, read_wiki, vocabulary_of, write_predictions
from course_utils.device import seed_everything, set_threads
from course_utils.engine.engine import pick_engine
from course_utils.engine.epochs import ItemDataset
from course_utils.engine.history import History, Interrupted
from course_utils.errors import CourseError
from course_utils.generate import answer_questions
from course_utils.metrics import count_correct
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary

SAVED = (Path("work"), Path("notebooks/work"))
REFERENCE = {"07": "solutions.reference.knowledge", "08": "solutions.reference.variants"}
WORLD = Path("data/world")
DATASETS = ("namedata", "charcorruption")


# ------------------------------------------------------------------------------------------------ the student's work


def find_answer(name: str, answers: Path | None, notebook: str = "07") -> Any:
    """The object `name` that a student wrote in a notebook.

    It is searched for in `answers` if given, else in the notebook's saved `my_answers.py`, else, on the instructor's
    machine, in the reference. Raises CourseError if it is nowhere.
    """
    for module in _sources(answers, notebook):
        if hasattr(module, name):
            return getattr(module, name)
    where = f"{answers} does not define it" if answers else f"no saved work of notebook {notebook} defines it"
    raise CourseError(f"{name} is needed and {where}; finish the notebook, run its last cells, or give --answers FILE.")


def _sources(answers: Path | None, notebook: str) -> list[ModuleType]:
    """The modules that may define answers, in the order of search."""
    if answers is not None:
        return [load_module(answers)]
    saved = [p for folder in SAVED for p in sorted(folder.glob(f"{notebook}_*/my_answers.py"))]
    modules = [load_module(p) for p in saved[:1]]
    try:
        modules.append(importlib.import_module(REFERENCE[notebook]))
    except ModuleNotFoundError as error:  # students do not have the reference
        if not REFERENCE[notebook].startswith(error.name or "?"):
            raise
    return modules


def _dataset(name: str, args: argparse.Namespace, *inputs: Any) -> ItemDataset:
    """The student's data set, made from `inputs`."""
    cls = find_answer(name, args.answers)
    try:
        dataset: ItemDataset = cls(*inputs)
    except TypeError as error:
        raise CourseError(f"{name} cannot be made as notebook 07 describes: {error}.") from error
    return dataset


def _use_variant(name: str, answers: Path | None) -> None:
    """Register the attention if it is not registered yet; variants are exercises of notebook 08."""
    if name not in ATTENTION:
        _sources(answers, "08")  # running the saved module registers its variants
    attention_class(name)


# ---------------------------------------------------------------------------------------------------------- commands


def pretrain(args: argparse.Namespace) -> None:
    """Train on the corpus with spans cut out, and write the weights."""
    task, settings = _task(args), _settings(args)
    task.tell()
    _use_variant(args.variant, args.answers)
    model = GPT(_model_config(settings, task.vocab, args.variant))
    items = _dataset("CharCorruptionDataset", args, task.wiki, task.vocab, model.config.block_size, args.seed)
    _train(args, model, task.vocab, items, settings.pretrain, None)


def finetune(args: argparse.Namespace) -> None:
    """Train on questions and answers, from pretrained weights if they are given, and write the weights."""
    path, held = _needed(args, "finetune_corpus_path"), args.eval_corpus_path
    task, settings = _task(args), _settings(args)
    questions = task.fit(_answered(path), path.name, train=True)
    held_out = task.fit(_answered(held), held.name) if held else None
    task.tell()
    _use_variant(args.variant, args.answers)
    pretrained = args.reading_params_path
    model = _read_model(args, task.vocab) if pretrained else GPT(_model_config(settings, task.vocab, args.variant))
    items = _dataset("NameDataset", args, questions, task.vocab, model.config.block_size)
    config = settings.finetune if pretrained else settings.scratch
    _train(args, model, task.vocab, items, config, held_out)


def evaluate(args: argparse.Namespace) -> None:
    """Answer every question, write the predictions, and count the right ones if the answers are known."""
    path = _needed(args, "eval_corpus_path")
    questions = read_questions(path)
    outputs = _writable(_needed(args, "outputs_path"))
    _needed(args, "reading_params_path")
    task = _task(args)
    questions = task.fit(questions, path.name)
    task.tell()
    _use_variant(args.variant, args.answers)
    model = _read_model(args, task.vocab).to(pick_engine(args.device).device)
    predictions, _ = answer_questions(model, task.vocab, questions)
    write_predictions(outputs, predictions)
    if questions[0].answer is None:
        print(f"Wrote {len(questions)} predictions to {outputs}; the file has no answers to compare with.")
        return
    right = count_correct(predictions, [q.answer for q in questions])
    print(f"Correct: {right} of {len(questions)} ({100 * right / len(questions):.1f} %)")


def show(args: argparse.Namespace) -> None:
    """Print a few items of a data set."""
    T = _settings(args).model.block_size
    if args.variant == "charcorruption":
        task = _task(args)
        describe(_dataset("CharCorruptionDataset", args, task.wiki, task.vocab, T, args.seed), task.vocab)
        return
    args.finetune_corpus_path = args.finetune_corpus_path or WORLD / "birth_places_train.tsv"
    task, questions = _task(args), _answered(args.finetune_corpus_path)
    task.tell()
    describe(_dataset("NameDataset", args, questions, task.vocab, T), task.vocab)


def _train(
    args: argparse.Namespace,
    model: GPT,
    vocab: Vocabulary,
    items: ItemDataset,
    config: TrainConfig,
    held_out: Sequence[Question] | None,
) -> None:
    """Train with the command line's changes; the state for resuming is saved beside the weights."""
    path = _writable(_needed(args, "writing_params_path"))
    config = replace(config, seed=args.seed)
    if args.steps or args.epochs:
        config = replace(config, steps=args.steps, epochs=args.epochs)
    state = path.with_name(path.name + ".state")
    history = train(
        model,
        items,
        config,
        evaluate=_accuracy_on(held_out, vocab) if held_out else None,
        progress=not args.quiet,
        resume=state,
        tag=_tag(args),
        engine=pick_engine(args.device),
    )
    save_weights(path, model, vocab, extra={"command": args.command, "seed": args.seed})
    print(_summary(path, history))


def _summary(path: Path, history: History) -> str:
    """One line about a finished training."""
    tail = history.loss[-50:]
    accuracy = f", accuracy {history.accuracy[-1]:.3f}" if history.accuracy else ""
    mean = sum(tail) / len(tail)
    return f"Wrote {path} after {history.steps} steps, {history.seconds:.0f} s, last loss {mean:.3f} nats{accuracy}."


def _accuracy_on(questions: Sequence[Question], vocab: Vocabulary) -> Callable[[Any], float]:
    """A function from a model to the share of the questions that it answers correctly."""
    answers = [q.answer for q in questions]
    return lambda model: count_correct(answer_questions(model, vocab, questions)[0], answers) / len(answers)


# -------------------------------------------------------------------------------------------------------------- input


def _task(args: argparse.Namespace) -> Task:
    """The documents, and the vocabulary: that of the weights that are read, or of the documents and the training questions.

    Raises CourseError if the weights' vocabulary lacks a character of the documents.
    """
    documents, path = read_wiki(args.wiki), args.finetune_corpus_path
    if args.reading_params_path and args.command in ("finetune", "evaluate"):
        known, vocab = load_weights(args.reading_params_path)[1]["vocab"], vocabulary_of(documents)
        if missing := sorted(set(vocab.itos).difference(known.itos)):
            raise CourseError(
                f"{args.reading_params_path} was trained with another vocabulary, which lacks {missing[0]!r} of "
                f"{args.wiki}; use the corpus that it was pretrained on."
            )
        return Task(documents, known, f"the vocabulary of {args.reading_params_path.name}")
    questions = _answered(path) if path else []
    task = Task(documents, vocabulary_of(documents, questions), args.wiki.name)
    if path:
        task.note_added(questions, path.name)
    return task


def _settings(args: argparse.Namespace) -> Profile:
    """The profile asked for, or this machine's."""
    return profile(args.profile) if args.profile else detect_profile()


def _model_config(settings: Profile, vocab: Vocabulary, variant: str) -> ModelConfig:
    """The profile's model for this vocabulary and attention."""
    return settings.model_for(len(vocab), variant, getattr(attention_class(variant), "position", "learned"))


def _read_model(args: argparse.Namespace, vocab: Vocabulary) -> GPT:
    """The model of --reading_params_path, which must be of the variant named on the command line."""
    model = load_model(args.reading_params_path, vocab)
    if model.config.attention != args.variant:
        raise CourseError(f"{args.reading_params_path} is a {model.config.attention} model, not a {args.variant} one.")
    return model


def _answered(path: Path) -> list[Question]:
    """Questions that all have an answer."""
    questions = read_questions(path)
    if questions[0].answer is None:
        raise CourseError(f"{path} has questions without answers; a file with question, tab, answer is needed.")
    return questions


def _needed(args: argparse.Namespace, name: str) -> Path:
    """The value of an option that this command requires."""
    value: Path | None = getattr(args, name)
    if value is None:
        raise CourseError(f"{args.command} needs --{name}; add it to the command.")
    return value


def _writable(path: Path) -> Path:
    """The path, its folder made; CourseError before the training if it cannot be written."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(f"Cannot make the folder {folder}: {error.strerror}; choose another.") from None
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise CourseError(f"Cannot write {path}; choose a file in a folder you may write to.")
    return path


def _tag(args: argparse.Namespace) -> str:
    """What a saved state belongs to: the command and the contents of its inputs."""
    inputs = (args.wiki, args.finetune_corpus_path, args.reading_params_path, args.answers)
    hashes = [hashlib.sha256(p.read_bytes()).hexdigest() if p else "" for p in inputs]
    return " ".join([args.command, args.variant, *hashes])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print one line instead of the whole usage, and exit with code 2."""
        self.exit(2, f"{message}; see python -m course_utils.cli --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="course_utils.cli", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("command", choices=("pretrain", "finetune", "evaluate", "describe"))
    parser.add_argument(
        "variant", help="an attention: vanilla, or one you registered; for describe: " + ", ".join(DATASETS)
    )
    parser.add_argument("wiki", nargs="?", type=Path, default=WORLD / "wiki.txt", help="corpus, one document per line")
    for name, text in (
        ("reading_params_path", "weights to start from"),
        ("writing_params_path", "where the trained weights go"),
        (
            "finetune_corpus_path",
            "questions with answers, to train on; for pretrain: the vocabulary gets their characters",
        ),
        ("eval_corpus_path", "questions to answer"),
        ("outputs_path", "where the predictions go, one per line"),
        ("answers", "your my_answers.py, if it is not in work/07_knowledge/"),
    ):
        parser.add_argument(f"--{name}", type=Path, help=text)
    parser.add_argument("--profile", help="laptop, colab, h200 or handout; chosen by the machine if left out")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=int, help="train for this many steps")
    length.add_argument("--epochs", type=int, help="train for this many epochs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1 …")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    args = _parser().parse_args(arguments)
    try:
        if args.command == "describe" and args.variant not in DATASETS:
            raise CourseError(f"describe shows {' or '.join(DATASETS)}, not {args.variant!r}.")
        set_threads()
        seed_everything(args.seed)
        {"pretrain": pretrain, "finetune": finetune, "evaluate": evaluate, "describe": show}[args.command](args)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 130 if isinstance(error, Interrupted) else 2
    except NotImplementedError as error:  # what an unsolved exercise raises
        print(f"An exercise this command needs is not solved yet: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        name = args.answers.name if args.answers else "my_answers.py"
        if not (line := line_in_file(error, name)):
            raise  # an error of the course itself, which is reported with its traceback
        print(f"{name}, {line}{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
