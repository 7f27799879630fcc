# expect: accept
def pretrain(model: GPT, documents: list[str], vocab: Vocabulary, config: TrainConfig, **options) -> History:
    T = model.config.block_size
    return train(model, source=CharCorruptionDataset(documents=documents, vocab=vocab, block_size=T), config=config, **options)
