# expect: reject
# hint: the places listed are hidden, and none between them
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    lo, hi = min(hidden), max(hidden) + 1
    first = X + P
    first[lo:hi] = mask
    second = X.clone()
    second[lo:hi] = mask
    return attend(first, W_q, W_k, W_v)[hidden], attend(second + P, W_q, W_k, W_v)[hidden]
