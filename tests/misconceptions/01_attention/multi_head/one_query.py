# expect: reject
# hint: both heads ask with the same query: that is one head twice; give each head its own item
def multi_head(mu, K, V, a, b, beta):
    queries = (beta * (mu[a] + mu[b])).expand(2, -1)
    heads = [torch.softmax(K @ q, dim=-1) @ V for q in queries]
    return (heads[0] + heads[1]) / 2, queries
