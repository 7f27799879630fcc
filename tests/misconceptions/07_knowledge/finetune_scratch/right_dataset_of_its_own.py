# expect: accept
class Pairs(torch.utils.data.Dataset):
    """The pairs of NameDataset, made once."""

    def __init__(self, questions, vocab, T):
        inner = NameDataset(questions, vocab, T)
        self.pairs = [inner[i] for i in range(len(inner))]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return self.pairs[index]


def finetune(model, questions, vocab, config, **options):
    return train(model, Pairs(questions, vocab, model.config.block_size), config, **options)
