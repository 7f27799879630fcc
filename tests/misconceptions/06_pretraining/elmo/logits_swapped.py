# expect: reject
# hint: The logits are in the wrong order: forward ones first, then backward ones, then the states.
# keeps: elmo_loss
class Elmo(nn.Module):
    """Two one-directional LSTM language models of H = width units each.

    ``Elmo(vocab_size, width, pad)(ids)`` takes int64 (B, T), padded on the right with ``pad``, and gives

    - forward logits (B, T, V): at t about token t+1, from tokens up to t;
    - backward logits (B, T, V): at t about token t-1, from tokens t and later;
    - states (B, T, 2·width): the forward state and then the backward state.

    More padding on the right changes nothing at the real tokens.
    """

    def __init__(self, vocab_size: int, width: int, pad: int) -> None:
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.to_right = nn.LSTM(width, width, batch_first=True)
        self.to_left = nn.LSTM(width, width, batch_first=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T) -> forward logits (B, T, V), backward logits (B, T, V), states (B, T, 2·width)."""
        lengths = (ids != self.pad).sum(1)  # (B, T) -> (B,)
        f, _ = self.to_right(self.embedding(ids))
        b, _ = self.to_left(self.embedding(reverse_rows(ids, lengths)))
        b = reverse_rows(b, lengths)  # (B, T, H): each state back at its own token
        return self.previous_head(b), self.next_head(f), torch.cat([f, b], dim=-1)


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
