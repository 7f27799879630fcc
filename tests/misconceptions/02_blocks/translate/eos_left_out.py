# expect: reject
# hint: EOS is left out: a row goes up to its first EOS, and that EOS belongs to the translation
def shift_right(target, tag):
    out = target.roll(1, dims=1)
    out[:, 0] = tag
    return out


def translation_loss(model, source, tag, target):
    logp = model(source, shift_right(target, tag)).log_softmax(-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    keep = (target != PAD).float()
    return (nll * keep).sum() / keep.sum()


def translate(model, source, tag, max_words):
    words, memory = tag[:, None], model.encode(source)
    over = torch.zeros(len(tag), dtype=torch.bool)
    for _ in range(max_words):
        n = model.decode(words, memory, source)[:, -1].argmax(-1)
        over |= n == EOS
        words = torch.cat([words, n.masked_fill(over, PAD)[:, None]], 1)
    return words[:, 1:]
