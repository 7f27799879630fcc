# expect: reject
# hint: softmax ran over the draws
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=0)
    return alpha @ V, alpha
