# expect: reject
# hint: the loop ends with the first row that ends: the other rows are not finished
# keeps: extra_language_flops
def translate_all(model, source, tags, max_words):
    mem = model.encode(source)
    out = []
    for t in tags:
        words = torch.full((source.shape[0], 1), t)
        for _ in range(max_words):
            nxt = model.decode(words, mem, source)[:, -1].argmax(-1)
            words = torch.cat([words, nxt.masked_fill((words == EOS).any(1), PAD)[:, None]], 1)
            if (nxt == EOS).any(): break
        out.append(words[:, 1:])
    return out


def extra_language_flops(M, N, k):
    return 8 * N * k * k + 4 * N * N * k + 4 * (M + N) * k * k + 4 * M * N * k
