# expect: accept
# The whole row is laid out at once; the decoder is causal.
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model.decode(shift_right(target, tag), model.encode(source), source)
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory = model.encode(source)
        words = torch.full((len(tag), max_words), PAD)
        said = torch.full((len(tag), max_words), PAD)
        words[:, 0] = tag
        done = torch.zeros(len(tag), dtype=torch.bool)
        for t in range(max_words):
            following = model.decode(words, memory, source)[:, t].argmax(-1)
            said[~done, t] = following[~done]
            done |= following == EOS
            if t + 1 < max_words:
                words[:, t + 1] = following
        return said
