# expect: reject
# hint: return a list with one tensor per tag, in the order of the tags
# keeps: extra_language_flops
def translate_all(model, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    """Greedy translation of source (B, Ls) into every language of tags: one tensor of ids (B, n) per tag, as from translate."""
    with torch.no_grad():
        memory, result = model.encode(source), []
        for tag in tags:
            words = torch.full((len(source), 1), tag)
            for _ in range(max_words):
                following = model.decode(words, memory, source)[:, -1].argmax(-1)
                over = (words == EOS).any(1)
                words = torch.cat([words, following.masked_fill(over, PAD)[:, None]], dim=1)  # (B, t) -> (B, t+1)
            result.append(words[:, 1:])
        return dict(zip(tags, result))


def extra_language_flops(M: int, N: int, k: int) -> int:
    """FLOPs of the attentions of one decoder layer of width k over N target positions, memory of M positions given."""
    return 8 * N * k**2 + 4 * N**2 * k + 4 * (M + N) * k**2 + 4 * M * N * k

