# expect: reject
# hint: documents of a few characters, or none, are trained on as well: leave out no document
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(list(filter(None, documents)), vocab, model.config.block_size)
    return train(model, dataset, config, **options)
