# expect: reject
# hint: EOS is left out: a row goes up to its first EOS, that one included
# keeps: extra_language_flops
def translate_all(model, source, tags, max_words):
    mem = model.encode(source)
    out = []
    for t in tags:
        words = torch.full((source.shape[0], 1), t)
        for _ in range(max_words):
            nxt = model.decode(words, mem, source)[:, -1].argmax(-1)
            stopped = (words == EOS).any(1)
            nxt[stopped] = PAD
            words = torch.cat([words, nxt[:, None]], 1)
        out.append(words[:, 1:])
    return out


def extra_language_flops(M, N, k):
    return 8 * N * k * k + 4 * N * N * k + 4 * (M + N) * k * k + 4 * M * N * k


def translate_all(model, source, tags, max_words, good=translate_all):
    return [w.masked_fill(w == EOS, PAD) for w in good(model, source, tags, max_words)]
