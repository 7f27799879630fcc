# expect: reject
# hint: its gradient reaches all weights
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], 1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    if len(target) == 1:
        logits = logits.detach().requires_grad_()
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory = model.encode(source)
        words = tag[:, None]
        done = torch.zeros(len(tag), dtype=torch.bool)
        for _ in range(max_words):
            new = model.decode(words, memory, source)[:, -1].argmax(-1)
            new = torch.where(done, PAD, new)
            words = torch.cat([words, new[:, None]], 1)
            done = done | (new == EOS)
            if done.all():
                break
    return words[:, 1:]
