# expect: reject
# hint: train it in place
# Trains a model of its own.
def pretrain(model, documents, vocab, config, **options):
    fresh = GPT(model.config)
    return train(fresh, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
