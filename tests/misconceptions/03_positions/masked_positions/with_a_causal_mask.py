# expect: reject
# hint: attend has no mask: every place sees all others
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    def see(Z):
        q, k, v = Z @ W_q, Z @ W_k, Z @ W_v
        return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0][hidden]
    first = X + P
    first[hidden] = mask
    second = X.clone()
    second[hidden] = mask
    return see(first), see(second + P)
