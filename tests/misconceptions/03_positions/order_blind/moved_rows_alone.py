# expect: reject
# hint: every place counts, also one that keeps its word: attention mixes the others into it
def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    moved = order != torch.arange(len(order))
    if not moved.any():
        return 0.0
    first = attend(X[order] + P, W_q, W_k, W_v)
    return (first - attend(X + P, W_q, W_k, W_v)[order])[moved].abs().max().item()
