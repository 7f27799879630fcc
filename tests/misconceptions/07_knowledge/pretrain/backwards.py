# expect: reject
# hint: no likelier than the same backwards
# Reads the documents backwards.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([text[::-1] for text in documents], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
