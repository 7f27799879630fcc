# expect: accept
@torch.no_grad()
def translate_all(model, source, tags, max_words):
    B, n = len(source), len(tags)
    memory = model.encode(source)
    memory, sources = memory.repeat(n, *[1] * (memory.dim() - 1)), source.repeat(n, 1)
    words = torch.tensor(tags).repeat_interleave(B)[:, None]
    for _ in range(max_words):
        following = model.decode(words, memory, sources)[:, -1].argmax(-1)
        following[(words == EOS).any(1)] = PAD
        words = torch.cat([words, following[:, None]], 1)
    return list(words[:, 1:].split(B))


def extra_language_flops(M, N, k):
    return decoder_self_flops(N, k) + cross_flops(M, N, k)
