# expect: reject
# hint: the model that was passed in has not changed: train it in place, not a copy or a new one
# Trains a model of its own.
def pretrain(model, documents, vocab, config, **options):
    fresh = GPT(model.config)
    return train(fresh, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
