"""What is wrong with the files handed in with notebook 07: weights that the judge evaluates, and predictions."""

from __future__ import annotations

import random
from typing import Any

from course_utils.corpora.world import ALPHABET
from course_utils.data import Question
from course_utils.generate import answer_questions
from course_utils.lessons.knowledge import changed
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import cloze, mask_loss, model_from_weights, person, threshold

ASKED = 40  # people about whom pretrained weights are asked
CHANCE = 0.10  # share of test people: below it the model knows next to nothing
SAME = 0.99  # share of predictions that must be the handed-in model's


def pretrained_faults(handin: Any, private: Any, rng: random.Random) -> str:
    """One sentence on what is wrong with ``pretrained.safetensors``, "" for nothing."""
    vocab = Vocabulary.from_text(ALPHABET)
    model = model_from_weights(handin.weights("pretrained"), len(vocab))
    people = _people(private)
    people = rng.sample(people, min(ASKED, len(people)))
    documents = [f"{person(q)} was born in {q.answer}." for q in people]
    if not mask_loss(model, documents, vocab) < threshold("pretrained_mask_loss"):  # weights may make it NaN
        return (
            "for pretrained.safetensors a MASK in running text comes as a surprise: pretrain with span corruption, "
            "and hand in the weights from before finetuning"
        )
    if cloze(model, people, vocab) < threshold("pretrained_cloze"):
        return (
            "pretrained.safetensors does not know where people of this wiki were born: train the full number of steps, "
            "on this course's wiki"
        )
    return ""


def finetuned_faults(handin: Any, private: Any) -> str:
    """One sentence on what is wrong with ``finetuned.safetensors`` or ``test_predictions.txt``, "" for nothing."""
    vocab = Vocabulary.from_text(ALPHABET)
    weights, predictions = handin.weights("finetuned"), handin.lines("test_predictions.txt")
    model = model_from_weights(weights, len(vocab))
    if not changed(handin.weights("pretrained"), weights, 1e-6):
        return (
            "finetuned.safetensors holds the pretrained weights: it was never finetuned, so run that cell again and hand "
            "in anew"
        )
    people = _people(private)  # after what can be told in the open: hints end where hidden files are read
    answers, _ = answer_questions(model, vocab, people)
    right = sum(a == q.answer for a, q in zip(answers, people, strict=True)) / len(people)
    if right <= CHANCE:
        return (
            "the finetuned model knows next to nothing about people it was not trained on: were the pretrained weights "
            "loaded, from this course's wiki?"
        )
    if right < threshold("finetuned_test_accuracy"):
        return (
            "the finetuned model has lost, or never stored, too many facts: finetune shorter and with a smaller rate "
            "(profile.finetune), after a complete pretraining"
        )
    if len(predictions) != len(people):
        return (
            f"test_predictions.txt has {len(predictions)} lines for {len(people)} questions: one line per question, in "
            "their order, no header"
        )
    if sum(a == b for a, b in zip(answers, predictions, strict=True)) / len(people) < SAME:
        return (
            "test_predictions.txt is not what finetuned.safetensors answers: run the finetuning cell to its end and hand "
            "in both files anew"
        )
    return ""


def _people(private: Any) -> list[Question]:
    return [Question(*line.split("\t")) for line in private.lines("birth_test.tsv")]
