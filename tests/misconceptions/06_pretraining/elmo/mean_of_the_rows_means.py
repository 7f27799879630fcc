# expect: reject
# hint: That is the mean of the rows' means, in which a short row counts too much: divide once, by the number of all predictions.
# keeps: Elmo
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.width = pad, width
        self.words = nn.Embedding(vocab_size, 2 * width)
        self.right, self.left = nn.LSTMCell(2 * width, width), nn.LSTMCell(2 * width, width)
        self.out = nn.ModuleDict({"r": nn.Linear(width, vocab_size), "l": nn.Linear(width, vocab_size)})

    def run(self, cell, vectors, real, order):
        h = c = vectors.new_zeros(len(vectors), self.width)
        states = {}
        for t in order:
            nh, nc = cell(vectors[:, t], (h, c))
            h = torch.where(real[:, t, None], nh, h)
            c = torch.where(real[:, t, None], nc, c)
            states[t] = h
        return torch.stack([states[t] for t in range(vectors.shape[1])], 1)

    def forward(self, ids):
        real = ids != self.pad
        v = self.words(ids)
        T = ids.shape[1]
        f = self.run(self.right, v, real, range(T))
        b = self.run(self.left, v, real, reversed(range(T)))
        return self.out["r"](f), self.out["l"](b), torch.cat([f, b], -1)

def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    both = real[:, 1:] & real[:, :-1]
    ce = F.cross_entropy(forward_logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none") * both
    f = (ce.sum(1) / both.sum(1).clamp(min=1))[both.any(1)].mean()
    b = F.cross_entropy(backward_logits[:, 1:][both], ids[:, :-1][both])
    return f + b
