# expect: accept
# With the seed of the settings.
def pretrain(model, documents, vocab, config, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size, seed=config.seed), config, **options)
