# expect: reject
# hint: The forward LSTM reads in both directions: the backward one must read with an LSTM of its own.
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.emb = nn.Embedding(vocab_size, width)
        self.f = nn.LSTM(width, width, batch_first=True)
        self.b = nn.LSTM(width, width, batch_first=True)
        self.hf = nn.Linear(width, vocab_size)
        self.hb = nn.Linear(width, vocab_size)

    def forward(self, ids):
        n = (ids != self.pad).sum(1)
        f = self.f(self.emb(ids))[0]
        b = reverse_rows(self.f(self.emb(reverse_rows(ids, n)))[0], n)
        return self.hf(f), self.hb(b), torch.cat([f, b], -1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    ce = lambda l, t: F.cross_entropy(l.flatten(0, 1), t.flatten(), ignore_index=pad)
    back = ids[:, :-1].masked_fill(ids[:, 1:] == pad, pad)
    return ce(forward_logits[:, :-1], ids[:, 1:]) + ce(backward_logits[:, 1:], back)
