# expect: accept
class Side(nn.Module):
    """One direction: reads word vectors (B, T, E) with the text's first token first."""

    def __init__(self, vocab_size, width):
        super().__init__()
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)

    def turn(self, x, lengths):
        return x

    def forward(self, x, lengths):
        states = self.turn(self.lstm(self.turn(x, lengths))[0], lengths)
        return self.head(states), states


class FromTheEnd(Side):
    def turn(self, x, lengths):
        return reverse_rows(x, lengths)


class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.words = nn.Embedding(vocab_size, width, padding_idx=pad)
        self.sides = nn.ModuleDict({"back": FromTheEnd(vocab_size, width), "forth": Side(vocab_size, width)})

    def forward(self, ids):
        x, n = self.words(ids), (ids != self.pad).sum(1)
        (next_logits, f), (previous_logits, b) = self.sides["forth"](x, n), self.sides["back"](x, n)
        return next_logits, previous_logits, torch.cat([f, b], 2)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    def nats(logits, targets, keep):
        found = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
        return (found * keep).sum() / keep.sum()

    keep = ids[:, 1:] != pad
    return nats(forward_logits[:, :-1], ids[:, 1:], keep) + nats(backward_logits[:, 1:], ids[:, :-1], keep)
