# expect: accept
# Rows that have ended leave the batch.
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logp = F.log_softmax(model(source, shift_right(target, tag)), dim=-1)
    return F.nll_loss(logp.mT, target, ignore_index=PAD)


@torch.no_grad()
def translate(model, source, tag, max_words):
    said = torch.zeros(len(tag), max_words, dtype=torch.long) + PAD
    rows = torch.arange(len(tag))
    words = tag.reshape(-1, 1)
    for t in range(max_words):
        following = model(source[rows], words).select(1, -1).argmax(dim=-1)
        said[rows, t] = following
        keep = following != EOS
        rows, words = rows[keep], torch.cat([words, following.reshape(-1, 1)], 1)[keep]
        if len(rows) == 0:
            break
    return said
