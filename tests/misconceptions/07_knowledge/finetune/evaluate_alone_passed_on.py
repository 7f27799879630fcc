# expect: reject
# hint: progress, pad, tag and resume did not arrive at train: pass **options on to train as they are
def finetune_pretrained(pretrained, questions, vocab, profile, evaluate=None, engine=None, **options):
    model = copy.deepcopy(pretrained)
    return model, finetune(model, questions, vocab, profile.finetune, evaluate=evaluate, engine=engine)
