# expect: accept
# The mode is set, although it is set already; each sentence is a loss of its own, weighted by its tokens.
def shift_right(target: Tensor, tag: Tensor) -> Tensor:
    rows = [[int(first), *row[:-1]] for first, row in zip(tag, target.tolist())]
    return torch.tensor(rows)


def translation_loss(model, source, tag, target):
    total, count = 0.0, 0
    for s, first, row in zip(source, tag, target):
        logits = model(s[None], shift_right(row[None], first[None]))[0]
        n = int((row != PAD).sum())
        total = total + F.cross_entropy(logits[:n], row[:n], reduction="sum")
        count += n
    return total / count


def translate(model, source, tag, max_words):
    model.eval()
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
