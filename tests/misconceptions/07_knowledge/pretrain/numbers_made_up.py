# expect: reject
# hint: train it in place
# A history is written down, and no training takes place.
def pretrain(model, documents, vocab, config, **options):
    return History(loss=[1.0] * config.steps, accuracy=[1.0])
