# expect: reject
# hint: trained too long
# The settings from scratch.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.scratch, **options)
    return model, history
