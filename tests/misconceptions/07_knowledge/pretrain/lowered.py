# expect: reject
# hint: what was trained on is no corruption of the documents: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
# Whitespace at the ends is stripped, and letters are lowered.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([d.strip().lower() for d in documents], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
