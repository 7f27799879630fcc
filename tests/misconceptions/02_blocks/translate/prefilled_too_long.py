# expect: reject
# hint: the decoder is given more than max_words tokens: it says at most max_words words, and reads at most max_words tokens at a time, the tag included
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory = model.encode(source)
        words = torch.full((len(tag), max_words + 1), PAD)
        words[:, 0] = tag
        for t in range(max_words):
            following = model.decode(words, memory, source)[:, t].argmax(-1)
            words[:, t + 1] = following.masked_fill((words[:, : t + 1] == EOS).any(1), PAD)
        return words[:, 1:]
