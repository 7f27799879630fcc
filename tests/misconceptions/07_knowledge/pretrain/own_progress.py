# expect: reject
# hint: progress did not arrive at train: pass **options on to train as they are
def pretrain(model, documents, vocab, config, progress=True, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, progress=False, **options)
