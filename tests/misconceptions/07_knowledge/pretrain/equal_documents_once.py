# expect: reject
# hint: an epoch must hold every document once
def pretrain(model, documents, vocab, config, **options):
    return train(model, CharCorruptionDataset(list(dict.fromkeys(documents)), vocab, model.config.block_size), config, **options)
