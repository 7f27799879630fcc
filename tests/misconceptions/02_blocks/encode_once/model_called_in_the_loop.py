# expect: reject
# hint: model(source, words) encodes in every step: encode once and call model.decode
# keeps: extra_language_flops
def translate_all(model, source, tags, max_words):
    out = []
    with torch.no_grad():
        memory = model.encode(source)
        for t in tags:
            words = torch.full((len(source), 1), t)
            done = torch.zeros(len(source), dtype=torch.bool)
            for _ in range(max_words):
                new = model(source, words)[:, -1].argmax(-1)
                new = torch.where(done, PAD, new)
                words = torch.cat([words, new[:, None]], 1)
                done = done | (new == EOS)
                if done.all():
                    break
            out.append(words[:, 1:])
    return out


def extra_language_flops(M, N, k):
    return 8 * N * k * k + 4 * N * N * k + 4 * N * k * k + 4 * M * k * k + 4 * M * N * k
