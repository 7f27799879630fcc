# expect: reject
# hint: a word may come several times
def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    moved = X[order]
    # where did each word of the shuffled text stand?
    came_from = (moved[:, None] == X[None]).all(2).int().argmax(1)
    return (attend(moved + P, W_q, W_k, W_v) - attend(X + P, W_q, W_k, W_v)[came_from]).abs().max().item()
