# expect: accept
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.width = pad, width
        self.words = nn.Embedding(vocab_size, 2)
        self.left, self.right = nn.LSTMCell(2, width), nn.LSTMCell(2, width)
        self.say_next, self.say_last = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def one_row(self, words, cell):
        states, state = [], None
        for word in words:
            state = cell(word[None], state)
            states.append(state[0][0])
        return states

    def forward(self, ids):
        rows = []
        for row in ids:
            words = self.words(row[row != self.pad])
            f, b = self.one_row(words, self.left), self.one_row(words.flip(0), self.right)[::-1]
            h = torch.cat([torch.stack(f), torch.stack(b)], 1)
            rows.append(F.pad(h, (0, 0, 0, len(row) - len(h)), value=7.0))
        h = torch.stack(rows)
        return self.say_next(h[..., : self.width]), self.say_last(h[..., self.width :]), h


def elmo_loss(forward_logits, backward_logits, ids, pad):
    losses = []
    for logits, at, about in ((forward_logits, slice(None, -1), slice(1, None)), (backward_logits, slice(1, None), slice(None, -1))):
        b, t = torch.nonzero((ids[:, at] != pad) & (ids[:, about] != pad), as_tuple=True)
        z = logits[:, at][b, t]
        losses.append((z.logsumexp(-1) - z[torch.arange(len(b)), ids[:, about][b, t]]).mean())
    return sum(losses)
