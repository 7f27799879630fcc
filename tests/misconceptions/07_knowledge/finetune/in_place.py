# expect: reject
# hint: the pretrained model was changed: finetune a copy of it (copy.deepcopy), and keep the original
# The pretrained model is changed.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    return pretrained, finetune(pretrained, questions, vocab, profile.finetune, **options)
