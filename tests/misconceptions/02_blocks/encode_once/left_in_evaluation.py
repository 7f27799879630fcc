# expect: reject
# hint: the model is left in evaluation: put it back into the mode it was in
# keeps: extra_language_flops
def translate_all(model, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    model.eval()
    memory = model.encode(source)
    results = []
    for tag in tags:
        words = torch.full((len(source), 1), tag)
        done = torch.zeros(len(source), dtype=torch.bool)
        for _ in range(max_words):
            word = model.decode(words, memory, source)[:, -1].argmax(-1)
            word = word.masked_fill(done, PAD)
            words = torch.cat([words, word[:, None]], 1)
            done = done | (word == EOS)
            if bool(done.all()):
                break
        results.append(words[:, 1:])
    return results


def extra_language_flops(M: int, N: int, k: int) -> int:
    return 8 * N * k**2 + 4 * N**2 * k + 4 * (M + N) * k**2 + 4 * M * N * k
