# expect: reject
# hint: the decoder is not given the tag after the first word: it stands in front in every step
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for step in range(max_words):
            given = words if step == 0 else words[:, 1:]
            following = model.decode(given, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
