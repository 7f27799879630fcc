# expect: reject
# hint: the memory of an earlier call is used again, although the model may have been trained since: encode in each call
_m = {}

def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], 1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


@torch.no_grad()
def translate(model, source, tag, max_words):
    key = (id(model), tuple(source.flatten().tolist()))
    memory = _m.setdefault(key, None)
    if memory is None: memory = _m[key] = model.encode(source)
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
