# expect: reject
# hint: the mask is that of the decoder's input: the tokens of the target that are not PAD count, one place further on
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    given = shift_right(target, tag)
    losses = F.cross_entropy(model(source, given).mT, target, reduction="none")
    real = (given != PAD).to(losses)
    return (losses * real).sum() / real.sum()


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, words = model.encode(source), tag[:, None]
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((words == EOS).any(1), PAD)
            words = torch.cat([words, following[:, None]], dim=1)
        return words[:, 1:]
