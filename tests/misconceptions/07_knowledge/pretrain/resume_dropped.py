# expect: reject
# hint: tag and resume did not arrive
def pretrain(model, documents, vocab, config, **options):
    options.pop("resume", None)
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
