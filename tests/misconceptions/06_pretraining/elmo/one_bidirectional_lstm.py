# expect: reject
# hint: The linear layers read both directions, and so the forward logits see the token that they predict: each reads the state of its own direction alone.
# keeps: elmo_loss
class Elmo(nn.Module):
    """One bidirectional LSTM for everything."""

    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.lstm = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.next_head, self.previous_head = nn.Linear(2 * width, vocab_size), nn.Linear(2 * width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=ids.shape[1])
        return self.next_head(h), self.previous_head(h), h


def elmo_loss(forward_logits: Tensor, backward_logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """The mean over all next-token predictions plus the mean over all previous-token predictions, in nats.

    Args:
        forward_logits, backward_logits: (B, T, V), as Elmo gives them.
        ids: (B, T). A prediction counts if it is made at a real token and is about a real token.
    """
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]  # (B, T-1): both neighbours are real
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])  # (B, T-1, V) -> (N, V)
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
