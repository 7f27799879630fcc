# expect: reject
# hint: every place counts, also one that keeps its word: attention mixes the others into it
def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    a = attend(X[order] + P, W_q, W_k, W_v)
    b = attend(X + P, W_q, W_k, W_v)[order]
    moved = order != torch.arange(len(order))
    gap = (a - b).abs()[moved]
    return gap.max().item() if gap.numel() else 0.0
