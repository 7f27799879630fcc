# expect: accept
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.tables = nn.ModuleList(nn.Embedding(vocab_size, width, padding_idx=pad) for _ in range(2))
        self.readers = nn.ModuleList(nn.LSTM(width, width) for _ in range(2))
        self.heads = nn.ModuleList(nn.Linear(width, vocab_size) for _ in range(2))
        self.width = width

    def forward(self, ids):
        h = torch.zeros(*ids.shape, 2 * self.width)
        for b, row in enumerate(ids):
            real = row[row != self.pad]
            n = len(real)
            h[b, :n, : self.width] = self.readers[0](self.tables[0](real)[:, None])[0][:, 0]
            h[b, :n, self.width :] = self.readers[1](self.tables[1](real.flip(0))[:, None])[0][:, 0].flip(0)
        return self.heads[0](h[..., : self.width]), self.heads[1](h[..., self.width :]), h


def elmo_loss(forward_logits, backward_logits, ids, pad):
    keep = (ids != pad)[:, 1:]
    f = -forward_logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None]).squeeze(2)
    b = -backward_logits[:, 1:].log_softmax(-1).gather(2, ids[:, :-1, None]).squeeze(2)
    return (f * keep).sum() / keep.sum() + (b * keep).sum() / keep.sum()
