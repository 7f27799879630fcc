# expect: reject
# hint: the tag is changed in place: it is an argument, so keep the last words in a tensor of your own
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None].clone()
        over = torch.zeros(len(tag), dtype=torch.bool)
        for _ in range(max_words):
            tag[:] = model.decode(words, memory, source)[:, -1].argmax(-1).masked_fill(over, PAD)
            over |= tag == EOS
            words = torch.cat([words, tag[:, None]], dim=1)
        return words[:, 1:]
