# expect: reject
# hint: torch's gradient mode stays switched off: nothing can be trained afterwards; use a with block, which puts it back
# keeps: extra_language_flops
def translate_all(model, source, tags, max_words):
    torch.set_grad_enabled(False)
    out = []
    memory = model.encode(source)
    for tag in tags:
        words = torch.full((len(source), 1), tag)
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            over = (words == EOS).any(1)
            words = torch.cat([words, following.masked_fill(over, PAD)[:, None]], dim=1)
        out.append(words[:, 1:])
    return out


def extra_language_flops(M, N, k):
    return 8 * N * k**2 + 4 * N**2 * k + 4 * (M + N) * k**2 + 4 * M * N * k
