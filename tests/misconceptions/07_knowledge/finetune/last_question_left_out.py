# expect: reject
# hint: every question must be trained on once per epoch, with its answer as the target
# The first question twice, the last never.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    return model, finetune(model, [questions[0], *questions[:-1]], vocab, profile.finetune, **options)
