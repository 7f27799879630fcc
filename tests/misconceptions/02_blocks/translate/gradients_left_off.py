# expect: reject
# hint: torch's gradient mode stays switched off: nothing can be trained afterwards; use a with block, which puts it back
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    torch.set_grad_enabled(False)
    memory, words = model.encode(source), tag[:, None]
    for _ in range(max_words):
        following = model.decode(words, memory, source)[:, -1].argmax(-1)
        following = following.masked_fill((words == EOS).any(1), PAD)
        words = torch.cat([words, following[:, None]], dim=1)
    return words[:, 1:]
