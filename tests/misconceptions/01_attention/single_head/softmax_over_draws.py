# expect: reject
# hint: the softmax ran over the draws: it must run over the n items, the last axis of the scores
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=0)
    return alpha @ V, alpha
