# expect: reject
# hint: return the History that train gives
# Returns the losses in place of the history.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options).loss
