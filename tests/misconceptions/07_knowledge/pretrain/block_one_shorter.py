# expect: reject
# hint: not as long as the model's block
def pretrain(model, documents, vocab, config, **options):
    T = model.config.block_size
    return train(model, CharCorruptionDataset(documents, vocab, T - 1), config, **options)
