# expect: reject
# hint: the tag stands in front of every word: it stands once, at the beginning
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    with torch.no_grad():
        memory, said = model.encode(source), tag[:, None][:, :0]
        for _ in range(max_words):
            last = said[:, -1:] if said.shape[1] else tag[:, None]
            following = model.decode(torch.cat([tag[:, None], last], 1), memory, source)[:, -1].argmax(-1)
            following = following.masked_fill((said == EOS).any(1), PAD)
            said = torch.cat([said, following[:, None]], dim=1)
        return said
