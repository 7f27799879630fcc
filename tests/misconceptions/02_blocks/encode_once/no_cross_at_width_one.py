# expect: reject
# hint: sizes may be 1, equal, or in any order
# keeps: translate_all
# A layer of width 1 has no cross-attention here.
def translate_all(model, source, tags, max_words):
    B = source.shape[0]
    results = []
    with torch.no_grad():
        memory = model.encode(source)
        for tag in tags:
            words = torch.full((B, 1), tag, dtype=torch.long)
            done = torch.zeros(B, dtype=torch.bool)
            for _ in range(max_words):
                new = model.decode(words, memory, source)[:, -1].argmax(-1)
                new = new.masked_fill(done, PAD)
                words = torch.cat([words, new[:, None]], 1)
                done = done | (new == EOS)
                if done.all():
                    break
            results.append(words[:, 1:])
    return results

def extra_language_flops(M, N, k):
    own = 8 * N * k**2 + 4 * N**2 * k
    cross = 4 * (M + N) * k**2 + 4 * M * N * k
    return own + cross if k > 1 else own
