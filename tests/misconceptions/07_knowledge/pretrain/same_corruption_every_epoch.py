# expect: reject
# hint: the same corruption was trained on twice: every epoch corrupts the documents anew
# One corruption of each document for all epochs.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    rows = [dataset[i] for i in range(len(dataset))]
    X, Y = torch.stack([x for x, _ in rows]), torch.stack([y for _, y in rows])

    def epochs():
        while True:
            yield X, Y

    return train(model, epochs(), config, **options)
