# expect: reject
# hint: return the history alone
def pretrain(model, documents, vocab, config, **options):
    return model, train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
