# expect: reject
# hint: The loss is a mean over the rows of their own means: all predictions of a direction count alike, whatever row they are in.
# keeps: Elmo
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.to_right = nn.LSTM(width, width, batch_first=True)
        self.to_left = nn.LSTM(width, width, batch_first=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        f, _ = self.to_right(self.embedding(ids))
        b, _ = self.to_left(self.embedding(reverse_rows(ids, lengths)))
        b = reverse_rows(b, lengths)
        return self.next_head(f), self.previous_head(b), torch.cat([f, b], dim=-1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    total, rows = 0.0, 0
    for f, b, row in zip(forward_logits, backward_logits, ids):
        n = int((row != pad).sum())
        if n > 1:
            total = total + F.cross_entropy(f[: n - 1], row[1:n]) + F.cross_entropy(b[1:n], row[: n - 1])
            rows += 1
    return total / rows
