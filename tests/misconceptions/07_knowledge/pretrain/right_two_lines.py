# expect: accept
# Dataset, then train.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
