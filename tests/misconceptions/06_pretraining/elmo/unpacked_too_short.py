# expect: reject
# hint: Where no row of the batch is full, the unpacked rows are shorter than T: give pad_packed_sequence total_length=ids.shape[1].
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.lstm = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def forward(self, ids):
        n = (ids != self.pad).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(ids), n, batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        f, b = h.chunk(2, -1)
        return self.next_head(f), self.previous_head(b), h


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
