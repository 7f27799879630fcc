# expect: accept
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.width = pad, width
        self.embed = nn.Embedding(vocab_size, width)
        self.cells = nn.ModuleList([nn.LSTMCell(width, width), nn.LSTMCell(width, width)])
        self.heads = nn.ModuleList([nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)])

    def forward(self, ids):
        B, T = ids.shape
        x = self.embed(ids)
        found = []
        for direction, cell in enumerate(self.cells):
            h, c = torch.zeros(B, self.width), torch.zeros(B, self.width)
            states = [None] * T
            for t in range(T) if direction == 0 else reversed(range(T)):
                h2, c2 = cell(x[:, t], (h, c))
                real = (ids[:, t] != self.pad)[:, None]
                h, c = torch.where(real, h2, h), torch.where(real, c2, c)
                states[t] = h
            found.append(torch.stack(states, 1))
        return self.heads[0](found[0]), self.heads[1](found[1]), torch.cat(found, 2)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    forth, back, n = 0.0, 0.0, 0
    p, q = forward_logits.log_softmax(-1), backward_logits.log_softmax(-1)
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1] - 1):
            if ids[b, t] != pad and ids[b, t + 1] != pad:
                forth = forth - p[b, t, ids[b, t + 1]]
                back = back - q[b, t + 1, ids[b, t]]
                n += 1
    return (forth + back) / n
