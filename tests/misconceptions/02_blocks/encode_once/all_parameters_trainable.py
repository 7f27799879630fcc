# expect: reject
# hint: a weight that was not trained is trained now: do not switch requires_grad; torch.no_grad() is enough
# keeps: extra_language_flops
def translate_all(model, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    B = source.shape[0]
    model.requires_grad_(False)
    results = []
    with torch.no_grad():
        memory = model.encode(source)
        for tag in tags:
            words = torch.full((B, 1), tag, dtype=torch.long)
            done = torch.zeros(B, dtype=torch.bool)
            for _ in range(max_words):
                following = model.decode(words, memory, source)[:, -1].argmax(-1)
                following = following.masked_fill(done, PAD)
                words = torch.cat([words, following[:, None]], 1)
                done = done | (following == EOS)
                if done.all():
                    break
            results.append(words[:, 1:])
    model.requires_grad_(True)
    return results


def extra_language_flops(M: int, N: int, k: int) -> int:
    return 8 * N * k * k + 4 * N * N * k + 4 * (M + N) * k * k + 4 * M * N * k
