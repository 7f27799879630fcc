# expect: accept
# Epochs as tensors, made one at a time.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)

    def epochs():
        while True:
            rows = [dataset[i] for i in range(len(dataset))]
            yield torch.stack([x for x, _ in rows]), torch.stack([y for _, y in rows])

    return train(model, epochs(), config, **options)
