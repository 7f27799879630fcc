# expect: accept
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad, self.width = pad, width
        self.word = nn.Embedding(vocab_size, 2 * width)
        self.lstm = nn.LSTM(2 * width, width, batch_first=True, bidirectional=True)  # one layer: the halves never meet
        self.out = nn.Linear(width, vocab_size)

    def forward(self, ids):
        n = (ids != self.pad).sum(1)
        packed = pack_padded_sequence(self.word(ids), n, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=ids.shape[1])
        return self.out(h[..., : self.width]), self.out(h[..., self.width :]), h


def elmo_loss(forward_logits, backward_logits, ids, pad):
    nxt = ids[:, 1:]
    prev = torch.where(nxt == pad, pad, ids[:, :-1])
    f = F.cross_entropy(forward_logits[:, :-1].transpose(1, 2), nxt, ignore_index=pad)
    b = F.cross_entropy(backward_logits[:, 1:].transpose(1, 2), prev, ignore_index=pad)
    return f + b
