# expect: reject
# hint: beta may be 0: do not divide by it
def single_head(mu, K, V, a, b, beta):
    query = beta * (mu[a] + mu[b])
    scores = K @ query / beta * beta
    alpha = scores.softmax(-1)
    return alpha @ V, alpha
