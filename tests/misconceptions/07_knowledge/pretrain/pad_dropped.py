# expect: reject
# hint: pad did not arrive at train: pass **options on to train as they are
def pretrain(model, documents, vocab, config, **options):
    options.pop("pad", None)
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
