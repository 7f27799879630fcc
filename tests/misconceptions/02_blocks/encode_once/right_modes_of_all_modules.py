# expect: accept
def extra_language_flops(M, N, k):
    return 12 * N * k * k + 4 * M * k * k + 4 * N * N * k + 4 * M * N * k

def _greedy(model, source, memory, tag, max_words):
    B = len(source)
    words = torch.full((B, 1), tag, dtype=torch.long)
    done = torch.zeros(B, dtype=torch.bool)
    out = []
    for _ in range(max_words):
        nxt = model.decode(words, memory, source)[:, -1].argmax(-1)
        nxt = torch.where(done, torch.full_like(nxt, PAD), nxt)
        out.append(nxt)
        done = done | (nxt == EOS)
        words = torch.cat([words, nxt[:, None]], 1)
        if done.all():
            break
    return torch.stack(out, 1)


@torch.no_grad()
def translate_all(model, source, tags, max_words):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    memory = model.encode(source)
    out = [_greedy(model, source, memory, t, max_words) for t in tags]
    for m, was in modes:
        m.training = was
    return out
