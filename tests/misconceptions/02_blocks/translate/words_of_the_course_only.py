# expect: reject
# hint: words with any id can be said, however many there are
def shift_right(target, tag):
    out = torch.roll(target, 1, dims=1)
    out[:, 0] = tag
    return out

def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    lp = logits - logits.logsumexp(-1, keepdim=True)
    keep = (target != PAD).nonzero(as_tuple=True)
    return -lp[keep[0], keep[1], target[keep]].mean()

@torch.no_grad()
def translate(model, source, tag, max_words):
    memory = model.encode(source)
    rows = [[int(t)] for t in tag]
    done = [False] * len(rows)
    words = tag.view(-1, 1) if tag.is_contiguous() else tag[:, None]
    out = []
    while len(out) < max_words and not all(done):
        nxt = model.decode(words, memory, source)[:, -1, :len(WORDS)].max(-1).indices
        col = torch.where(torch.tensor(done, device=nxt.device), torch.full_like(nxt, PAD), nxt)
        out.append(col)
        done = [d or int(c) == EOS for d, c in zip(done, col)]
        words = torch.cat([words, col[:, None]], 1)
    return torch.stack(out, 1)
