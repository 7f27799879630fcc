# expect: reject
# hint: a word may come several times
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    first, second = X + P, X.clone()
    for i in hidden:
        same = (X == X[i]).all(1)
        first[same] = mask
        second[same] = mask
    return attend(first, W_q, W_k, W_v)[hidden], attend(second + P, W_q, W_k, W_v)[hidden]
