# expect: reject
# hint: this is the mean of the sentences' means: every token that is not PAD must have the same weight, in whatever row it stands
def shift_right(target, tag):
    out = target.roll(1, dims=1)
    out[:, 0] = tag
    return out


def translation_loss(model, source, tag, target):
    z = model(source, shift_right(target, tag))
    l = F.cross_entropy(z.mT, target, ignore_index=PAD, reduction="none")
    return (l.sum(1) / (target != PAD).sum(1)).mean()


def translate(model, source, tag, max_words):
    rows = []
    for s, t in zip(source, tag):
        words = [int(t)]
        for _ in range(max_words):
            logits = model(s[None], torch.tensor([words]))
            words.append(int(logits[0, -1].argmax()))
            if words[-1] == EOS:
                break
        rows.append(words[1:])
    n = max(map(len, rows))
    return torch.tensor([r + [PAD] * (n - len(r)) for r in rows])
