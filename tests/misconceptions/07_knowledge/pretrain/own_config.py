# expect: reject
# hint: the number of steps is not what the data and config passed in ask for: pass the config on to train as it is, with its rate, batch size and seed
# Settings of its own.
def pretrain(model, documents, vocab, config, **options):
    own = TrainConfig(batch_size=8, steps=5, lr=1e-3)
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), own, **options)
