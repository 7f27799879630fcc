# expect: reject
# hint: in training mode, too, a text is read as it is read alone
# keeps: elmo_loss
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.word = nn.Embedding(vocab_size, width)
        self.right = nn.LSTM(width, width, batch_first=True)
        self.left = nn.LSTM(width, width, batch_first=True)
        self.head_r = nn.Linear(width, vocab_size)
        self.head_l = nn.Linear(width, vocab_size)

    def forward(self, ids):
        lengths = (ids != self.pad).sum(1)
        kept = getattr(self, 'kept', None)
        if not self.training or kept is None or kept[0].shape[1] != len(ids):
            kept = None
        f, kept = self.right(self.word(ids), kept)
        self.kept = tuple(s.detach() for s in kept) if self.training else None
        b = reverse_rows(self.left(self.word(reverse_rows(ids, lengths)))[0], lengths)
        return self.head_r(f), self.head_l(b), torch.cat([f, b], -1)


def elmo_loss(forward_logits, backward_logits, ids, pad):
    both = (ids[:, :-1] != pad) & (ids[:, 1:] != pad)
    f = forward_logits[:, :-1][both].log_softmax(-1)
    b = backward_logits[:, 1:][both].log_softmax(-1)
    return F.nll_loss(f, ids[:, 1:][both]) + F.nll_loss(b, ids[:, :-1][both])
