# expect: reject
# hint: what was trained on is no corruption of the documents: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
# Reads the documents backwards.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([text[::-1] for text in documents], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
