# expect: accept
# One-hot targets and a product; the words are kept in a list of columns.
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logp = model(source, shift_right(target, tag)).log_softmax(-1)
    hot = F.one_hot(target, logp.shape[-1]).to(logp.dtype)
    hot[..., PAD] = 0
    return -(hot * logp).sum() / hot.sum()


def translate(model, source, tag, max_words):
    columns, done = [tag], torch.zeros(len(tag), dtype=torch.bool)
    with torch.no_grad():
        for _ in range(max_words):
            logits = model(source, torch.stack(columns, dim=1))[:, -1, :]
            columns.append(logits.sort(dim=-1, descending=True, stable=True).indices[:, 0].masked_fill(done, PAD))
            done = done.logical_or(columns[-1] == EOS)
    return torch.stack(columns[1:], dim=1)
