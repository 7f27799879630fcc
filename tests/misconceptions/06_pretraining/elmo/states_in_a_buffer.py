# expect: reject
# hint: what an earlier call has returned
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size: int, width: int, pad: int) -> None:
        super().__init__()
        self.pad = pad
        self.emb = nn.Embedding(vocab_size, width)
        self.fwd = nn.LSTM(width, width, batch_first=True)
        self.bwd = nn.LSTM(width, width, batch_first=True)
        self.head_f = nn.Linear(width, vocab_size)
        self.head_b = nn.Linear(width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        f, _ = self.fwd(self.emb(ids))
        b, _ = self.bwd(self.emb(reverse_rows(ids, lengths)))
        b = reverse_rows(b, lengths)
        states = torch.cat([f, b], -1)
        if not states.requires_grad:
            if getattr(self, "_buffer", None) is None or self._buffer.shape != states.shape:
                self._buffer = torch.empty_like(states)
            states = self._buffer.copy_(states)
        return self.head_f(f), self.head_b(b), states


def elmo_loss(forward_logits, backward_logits, ids, pad):
    targets = ids.masked_fill(ids == pad, -100)
    f = F.cross_entropy(forward_logits[:, :-1].transpose(1, 2), targets[:, 1:])
    back = ids[:, :-1].masked_fill(ids[:, 1:] == pad, -100)
    b = F.cross_entropy(backward_logits[:, 1:].transpose(1, 2), back)
    return f + b
