# expect: accept
# A class holds the state of the search.
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


class Greedy:
    """Words so far of a batch."""

    def __init__(self, model, source, tag):
        self.model, self.source, self.memory = model, source, model.encode(source)
        self.words, self.open = tag[:, None], torch.ones(len(tag), dtype=torch.bool)

    def step(self):
        following = self.model.decode(self.words, self.memory, self.source)[:, -1].argmax(-1)
        following = torch.where(self.open, following, torch.full_like(following, PAD))
        self.words = torch.column_stack([self.words, following])
        self.open = self.open & (following != EOS)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        search = Greedy(model, source, tag)
        while search.words.shape[1] <= max_words and search.open.any():
            search.step()
    return search.words[:, 1:]
