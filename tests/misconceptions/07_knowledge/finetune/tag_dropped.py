# expect: reject
# hint: tag did not arrive at train: pass **options on to train as they are
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    options.pop("tag", None)
    return model, finetune(model, questions, vocab, profile.finetune, **options)
