# expect: reject
# hint: the number of steps is not what the data and config passed in ask for: pass the config on to train as it is, with its rate, batch size and seed
# Holds half of the documents back.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents[: len(documents) // 2], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
