# expect: reject
# hint: train was not called with all options: pass **options on to train as they are
# Neither resume nor evaluate reach train.
def pretrain(model, documents, vocab, config, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, progress=False)
