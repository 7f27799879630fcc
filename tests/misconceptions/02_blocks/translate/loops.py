# expect: accept
def shift_right(target, tag):
    moved = torch.empty_like(target)
    moved[:, 0] = tag
    for t in range(1, target.shape[1]):
        moved[:, t] = target[:, t - 1]
    return moved


def translation_loss(model, source, tag, target):
    log_p = model(source, shift_right(target, tag)).log_softmax(-1)
    picked = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = (target != PAD).to(log_p.dtype)
    return -(picked * real).sum() / real.sum()


def translate(model, source, tag, max_words):
    rows = []
    for b in range(len(source)):
        memory, said = model.encode(source[b : b + 1]), []
        while len(said) < max_words and EOS not in said:
            words = torch.tensor([[int(tag[b]), *said]])
            said.append(int(model.decode(words, memory, source[b : b + 1])[0, -1].argmax()))
        rows.append(said + [PAD] * (max_words - len(said)))
    return torch.tensor(rows)
