# expect: accept
class Elmo(nn.Module):
    def __init__(self, vocab_size, width, pad):
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.to_right = nn.LSTM(width, width, batch_first=True)
        self.to_left = nn.LSTM(width, width, batch_first=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)

    def forward(self, ids):
        B, T = ids.shape
        shift = (ids == self.pad).sum(1, keepdim=True)  # so many places of padding come first in a flipped row
        place = (torch.arange(T) + shift) % T  # (B, T): the flipped row with its padding behind again
        x = self.embedding(ids)
        turned = x.flip(1).gather(1, place[..., None].expand_as(x))
        b = self.to_left(turned)[0]
        home = (torch.arange(T) - shift) % T
        b = b.gather(1, home[..., None].expand_as(b)).flip(1)
        f = self.to_right(x)[0]
        return [self.next_head(f), self.previous_head(b), torch.cat((f, b), -1)]


def elmo_loss(forward_logits, backward_logits, ids, pad):
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
