# expect: reject
# hint: The forward LSTM begins with the state that the last call left behind: each text must begin with states 0.
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.last = pad, None
        self.embedding = nn.Embedding(vocab_size, width)
        self.to_right = nn.LSTM(width, width, batch_first=True)
        self.to_left = nn.LSTM(width, width, batch_first=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        if self.last is not None and self.last[0].shape[1] == len(ids):
            f, last = self.to_right(self.embedding(ids), self.last)
        else:
            f, last = self.to_right(self.embedding(ids))
        self.last = tuple(state.detach() for state in last)
        b, _ = self.to_left(self.embedding(reverse_rows(ids, lengths)))
        b = reverse_rows(b, lengths)
        return self.next_head(f), self.previous_head(b), torch.cat([f, b], dim=-1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
