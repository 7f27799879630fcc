# expect: reject
# hint: thousands of draws and hundreds of items are averaged in full, each draw alone
def single_head(mu, K, V, a, b, beta):
    q = beta * (mu[a] + mu[b])
    if len(K) > 1000:
        alpha = torch.cat([(K[i : i + 1000] @ q).softmax(-1) for i in range(0, len(K) - len(K) % 1000, 1000)])
    else:
        alpha = (K @ q).softmax(-1)
    return alpha @ V, alpha
