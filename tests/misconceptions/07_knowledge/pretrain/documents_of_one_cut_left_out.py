# expect: reject
# hint: an epoch must hold every document once: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset([d for d in documents if len(d) >= 4], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
