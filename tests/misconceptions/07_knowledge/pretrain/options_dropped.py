# expect: reject
# hint: pass **options on
# Neither resume nor evaluate reach train.
def pretrain(model, documents, vocab, config, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, progress=False)
