# expect: accept
from typing import NamedTuple


class Finetuned(NamedTuple):
    model: GPT
    history: History


def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    return Finetuned(model, finetune(model, questions, vocab, profile.finetune, **options))
