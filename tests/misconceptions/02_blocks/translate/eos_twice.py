# expect: reject
# hint: EOS counts twice in the mean: every token that is not PAD has the same weight
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    weight = torch.ones(logits.shape[-1], dtype=logits.dtype)
    weight[PAD], weight[EOS] = 0.0, 2.0
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), weight=weight)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
