# expect: reject
# hint: the encoder must run once for all languages: its output depends on the source alone, and here each run of it gives another one
# keeps: extra_language_flops
def translate_all(model, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    """Greedy translation of source (B, Ls) into every language of tags: one tensor of ids (B, n) per tag, as from translate."""
    return [translate(model, source, torch.full((len(source),), tag), max_words) for tag in tags]


def extra_language_flops(M: int, N: int, k: int) -> int:
    """FLOPs of the attentions of one decoder layer of width k over N target positions, memory of M positions given."""
    return 8 * N * k**2 + 4 * N**2 * k + 4 * (M + N) * k**2 + 4 * M * N * k
