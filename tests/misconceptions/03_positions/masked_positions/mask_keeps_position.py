# expect: reject
# hint: all replaced: the hidden rows must be the mask vector itself, all equal, without their positions
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    """Outputs at hidden places when the mask replaces word and position, and when it replaces the word alone.

    Args:
        X: words (n, d). P: positions (n, d). mask: the mask vector (d,).
        hidden: places to hide. W_q, W_k, W_v: weights (d, e) for ``attend``.

    Returns:
        all_replaced, word_replaced: (len(hidden), e) each, rows in the order of ``hidden``.
    """
    no_place, words = X.clone(), X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    outputs = [attend(rows, W_q, W_k, W_v)[hidden] for rows in (no_place + P, words + P)]
    return outputs[0], outputs[1]
