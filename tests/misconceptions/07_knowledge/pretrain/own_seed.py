# expect: reject
# hint: the rows do not come in the order of the seed: pass the config on to train as it is, with its rate, batch size and seed
# The seed of the settings is replaced.
def pretrain(model, documents, vocab, config, **options):
    from dataclasses import replace

    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, replace(config, seed=0), **options)
