# expect: reject
# hint: the loss is a mean of each place's mean: every token that is not PAD must have the same weight, at whatever place it stands
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    losses = F.cross_entropy(model(source, shift_right(target, tag)).mT, target, ignore_index=PAD, reduction="none")
    return (losses.sum(0) / (target != PAD).sum(0).clamp(min=1)).mean()


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
