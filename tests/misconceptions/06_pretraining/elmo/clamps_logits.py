# expect: reject
# hint: Logits are what the linear layer gives, however large: do not clamp them.
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.word = nn.Embedding(vocab_size, width)
        self.f = nn.LSTM(width, width, batch_first=True)
        self.b = nn.LSTM(width, width, batch_first=True)
        self.hf = nn.Linear(width, vocab_size)
        self.hb = nn.Linear(width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        f = self.f(self.word(ids))[0]
        b = reverse_rows(self.b(self.word(reverse_rows(ids, lengths)))[0], lengths)
        return self.hf(f).clamp(-20, 20), self.hb(b), torch.cat([f, b], -1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids[:, :-1].ne(pad) & ids[:, 1:].ne(pad)
    target = ids[:, 1:].masked_fill(~real, -100)
    before = ids[:, :-1].masked_fill(~real, -100)
    return F.cross_entropy(forward_logits[:, :-1].transpose(1, 2), target) + F.cross_entropy(backward_logits[:, 1:].transpose(1, 2), before)
