# expect: reject
# hint: an epoch must hold every document once: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(list(filter(None, documents)), vocab, model.config.block_size)
    return train(model, dataset, config, **options)
