# expect: reject
# hint: all words are taken from one run of the decoder: each word needs the words before it
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        words = tag[:, None].repeat(1, max_words)
        said = model(source, words).argmax(-1)
        after = (said == EOS).cumsum(1) - (said == EOS).long() > 0
        return said.masked_fill(after, PAD)
