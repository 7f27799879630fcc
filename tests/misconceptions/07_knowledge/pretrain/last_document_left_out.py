# expect: reject
# hint: an epoch must hold every document once: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
# The first document twice, the last never.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([documents[0], *documents[:-1]], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
