# expect: reject
# hint: there is no mask here: every word sees all words
def order_gap(X, P, W_q, W_k, W_v, order):
    def layer(Z):
        scores = (Z @ W_q) @ (Z @ W_k).T / W_q.shape[1] ** 0.5
        hidden = torch.ones_like(scores).triu(1).bool()
        return scores.masked_fill(hidden, -1e30).softmax(-1) @ (Z @ W_v)
    return (layer(X[order] + P) - layer(X + P)[order]).abs().max().item()
