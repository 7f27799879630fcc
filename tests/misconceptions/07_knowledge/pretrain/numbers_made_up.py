# expect: reject
# hint: the model that was passed in has not changed: train it in place, not a copy or a new one
# A history is written down, and no training takes place.
def pretrain(model, documents, vocab, config, **options):
    return History(loss=[1.0] * config.steps, accuracy=[1.0])
