# expect: reject
# hint: the pretrained model was changed: finetune a copy of it (copy.deepcopy), and keep the original
# A shallow copy shares the weights.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.copy(pretrained)
    return model, finetune(model, questions, vocab, profile.finetune, **options)
