# expect: reject
# hint: The forward logits also see the backward state of the token before, which has read the answer: each linear layer reads one direction alone.
# keeps: elmo_loss
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
        return self.next_head(f + F.pad(b, (0, 0, 0, 1))[:, 1:]), self.previous_head(b), torch.cat([f, b], dim=-1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
