# expect: reject
# hint: that was trained too long, with the settings for another case: after pretraining take profile.finetune
# The settings from scratch.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.scratch, **options)
    return model, history
