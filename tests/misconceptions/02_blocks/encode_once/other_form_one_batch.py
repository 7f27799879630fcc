# expect: accept
def translate_all(model, source, tags, max_words):
    B, n = len(source), len(tags)
    with torch.no_grad():
        memory = model.encode(source).repeat(n, 1, 1)
        sources = source.repeat(n, 1)
        words = torch.tensor(tags).repeat_interleave(B)[:, None]
        for _ in range(max_words):
            new = model.decode(words, memory, sources)[:, -1].argmax(-1, keepdim=True)
            ended = (words[:, 1:] == EOS).any(1, keepdim=True)
            words = torch.cat([words, new.masked_fill(ended, PAD)], 1)
    return list(words[:, 1:].unflatten(0, (n, B)))
def extra_language_flops(M, N, k):
    return decoder_self_flops(N, k) + cross_flops(M, N, k)
