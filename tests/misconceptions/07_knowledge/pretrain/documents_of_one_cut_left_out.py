# expect: reject
# hint: documents of a few characters, or none, are trained on as well: leave out no document
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([d for d in documents if len(d) >= 4], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
