# expect: reject
# hint: beta may be negative: attention then turns away from a and b
def single_head(mu, K, V, a, b, beta):
    alpha = (K @ (abs(beta) * (mu[a] + mu[b]))).softmax(-1)
    return alpha @ V, alpha
