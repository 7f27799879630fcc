# expect: reject
# hint: pass the config on
# Settings of its own.
def pretrain(model, documents, vocab, config, **options):
    own = TrainConfig(batch_size=8, steps=5, lr=1e-3)
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), own, **options)
