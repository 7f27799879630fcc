# expect: reject
# hint: hundreds of questions are all trained on
def finetune_pretrained(
    pretrained: GPT, questions: list[Question], vocab: Vocabulary, profile: Profile, **options
) -> tuple[GPT, History]:
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions[:150], vocab, profile.finetune, **options)
    return model, history
