# expect: reject
# hint: every row starts with the same language tag: each row must start with its own
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
    words = torch.full((len(source), 1), EN)
    for _ in range(max_words):
        n = model(source, words)[:, -1].argmax(-1)
        n = n.masked_fill((words == EOS).any(1), PAD)
        words = torch.cat([words, n[:, None]], 1)
    return words[:, 1:]
