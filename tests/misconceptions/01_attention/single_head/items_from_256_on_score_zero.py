# expect: reject
# hint: thousands of draws and hundreds of items are averaged in full, each draw alone
def single_head(mu, K, V, a, b, beta):
    q = beta * (mu[a] + mu[b])
    scores = K @ q
    if scores.shape[1] > 256:
        scores[:, 256:] = 0
    alpha = scores.softmax(-1)
    return alpha @ V, alpha
