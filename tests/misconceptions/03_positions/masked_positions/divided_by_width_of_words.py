# expect: reject
# hint: use attend: it divides by the root of the queries' width e, not of d
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    def see(Z):
        return (torch.softmax(Z @ W_q @ (Z @ W_k).T / Z.shape[1] ** 0.5, 1) @ (Z @ W_v))[hidden]
    first = X + P
    first[hidden] = mask
    second = X.clone()
    second[hidden] = mask
    return see(first), see(second + P)
