# expect: accept
def pretrain(model, documents, vocab, config, **options):
    class Documents(torch.utils.data.Dataset):
        """The corrupted documents, asked anew at every look."""

        def __init__(self):
            self.inner = CharCorruptionDataset(documents, vocab, model.config.block_size)

        def __len__(self):
            return len(documents)

        def __getitem__(self, index):
            return self.inner[index]

    return train(model, Documents(), config, **options)
