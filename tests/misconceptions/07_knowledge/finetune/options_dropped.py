# expect: reject
# hint: train was not called with all options: pass **options on to train as they are
# Neither evaluate nor progress reach finetune.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    return model, finetune(model, questions, vocab, profile.finetune, progress=False)
