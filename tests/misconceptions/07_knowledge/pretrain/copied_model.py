# expect: reject
# hint: the model that was passed in has not changed: train it in place, not a copy or a new one
# Trains a copy.
def pretrain(model, documents, vocab, config, **options):
    import copy

    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(copy.deepcopy(model), dataset, config, **options)
