# expect: reject
# hint: beta may be 0, and all items then get the same weight
def single_head(mu, K, V, a, b, beta):
    beta = beta or 1.0
    alpha = (K @ (beta * (mu[a] + mu[b]))).softmax(-1)
    return alpha @ V, alpha
