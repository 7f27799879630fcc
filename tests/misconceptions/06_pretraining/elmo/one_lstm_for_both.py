# expect: reject
# hint: one LSTM reads in both directions: each direction has its own
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.width = pad, width
        self.words = nn.Embedding(vocab_size, 2 * width + 1)
        self.right = nn.LSTMCell(2 * width + 1, width)
        self.left = self.right
        self.out = nn.Linear(width, vocab_size)

    def forward(self, ids):
        B, T = ids.shape
        x = self.words(ids)
        h = c = x.new_zeros(B, self.width)
        fs = []
        for t in range(T):
            h, c = self.right(x[:, t], (h, c))
            fs.append(h)
        h = c = x.new_zeros(B, self.width)
        bs = [None] * T
        for t in range(T - 1, -1, -1):
            real = (ids[:, t] != self.pad)[:, None]
            h2, c2 = self.left(x[:, t], (h, c))
            h, c = torch.where(real, h2, h), torch.where(real, c2, c)
            bs[t] = h
        f, b = torch.stack(fs, 1), torch.stack(bs, 1)
        return self.out(f), self.out(b), torch.cat((f, b), 2)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    total_f = total_b = 0.0
    n = 0
    for b in range(ids.shape[0]):
        row = [i for i in ids[b].tolist()]
        for t in range(len(row) - 1):
            if row[t] != pad and row[t + 1] != pad:
                total_f = total_f + torch.logsumexp(forward_logits[b, t], 0) - forward_logits[b, t, row[t + 1]]
                total_b = total_b + torch.logsumexp(backward_logits[b, t + 1], 0) - backward_logits[b, t + 1, row[t]]
                n += 1
    return total_f / n + total_b / n
