# expect: accept
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.head = nn.Linear(width, vocab_size)
        self.to_left = nn.LSTM(32, width, batch_first=True)
        self.to_right = nn.LSTM(3 * width, width, batch_first=True)
        self.of_left, self.of_right = nn.Embedding(vocab_size, 32), nn.Embedding(vocab_size, 3 * width)

    def forward(self, ids):
        keep = (ids != self.pad).sum(1)
        f = self.to_right(self.of_right(ids))[0]
        b = reverse_rows(self.to_left(self.of_left(reverse_rows(ids, keep)))[0], keep)
        h = torch.cat([f, b], dim=-1)
        f, b = h.split(h.shape[-1] // 2, dim=-1)
        return self.head(f), self.head(b), h


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
