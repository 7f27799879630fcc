# expect: reject
# hint: a batch of one row loses its axis: squeeze() without a number takes away every axis of size 1
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        done = torch.zeros(len(tag), dtype=torch.bool)
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1:].argmax(-1).squeeze()
            following[done] = PAD
            done |= following == EOS
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
