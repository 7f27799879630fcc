# expect: reject
# hint: evaluate was not asked after every epoch: pass **options on to train as they are
# Neither resume nor evaluate reach train.
def pretrain(model, documents, vocab, config, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, progress=False)
