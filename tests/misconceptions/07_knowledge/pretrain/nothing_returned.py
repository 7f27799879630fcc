# expect: reject
# hint: return the History that train gives
# Forgets the history.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    train(model, dataset, config, **options)
