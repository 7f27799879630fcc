# expect: accept
def fresh_epochs(dataset):
    """Epochs (X, Y), each (N, T), without end."""
    while True:
        pairs = [dataset[k] for k in range(len(dataset))]
        yield tuple(torch.stack(part) for part in zip(*pairs))


def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size, config.seed + 1)
    history = train(model, fresh_epochs(dataset), config, **options)
    return history
