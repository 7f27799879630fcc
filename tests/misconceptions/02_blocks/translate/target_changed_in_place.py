# expect: reject
# hint: the target is changed in place: make the shifted input a new tensor
def shift_right(target, tag):
    target[:, 1:] = target[:, :-1].clone()
    target[:, 0] = tag
    return target


def translation_loss(model, source, tag, target):
    logp = model(source, shift_right(target, tag)).log_softmax(-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    keep = (target != PAD).float()
    return (nll * keep).sum() / keep.sum()


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
