# expect: reject
# hint: the logarithm of a softmax is infinite for large logits: use log_softmax or cross_entropy
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    p = model(source, shift_right(target, tag)).softmax(-1)
    picked = p.gather(-1, target[..., None])[..., 0]
    real = target != PAD
    return -picked[real].log().mean()


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
