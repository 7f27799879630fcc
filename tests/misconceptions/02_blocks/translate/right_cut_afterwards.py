# expect: accept
# All words first; what stands after EOS is filled at the end, and trailing columns of PAD are cut.
def shift_right(target, tag):
    return F.pad(target, (1, -1)).scatter(1, torch.zeros_like(tag)[:, None], tag[:, None])


def translation_loss(model, source, tag, target):
    losses = F.cross_entropy(model(source, shift_right(target, tag)).permute(0, 2, 1), target, reduction="none")
    real = (target != PAD).to(losses)
    return (losses * real).sum() / real.sum()


def translate(model, source, tag, max_words):
    words = tag.unsqueeze(1)
    with torch.inference_mode():
        memory = model.encode(source)
        for _ in range(max_words):
            words = torch.hstack([words, model.decode(words, memory, source)[:, -1:].topk(1).indices[..., 0]])
    said = words[:, 1:].clone()
    ended = torch.zeros(len(tag), dtype=torch.bool)
    for column in said.T:
        column[ended] = PAD
        ended |= column == EOS
    return said[:, : max(1, int((said != PAD).any(0).sum()))]
