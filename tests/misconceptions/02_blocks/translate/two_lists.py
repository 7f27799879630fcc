# expect: reject
# hint: one list per row comes: return one tensor of ids (B, n), short rows filled with PAD
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)


def translate(model, source, tag, max_words):
    rows = []
    for s, t in zip(source, tag):
        said = []
        while len(said) < max_words and EOS not in said:
            words = torch.tensor([[int(t), *said]])
            said.append(int(model(s[None], words)[0, -1].argmax()))
        rows.append(said)
    return rows
