# expect: reject
# hint: scores are cut off at 50: two large scores become equal, though the larger one should take nearly all the weight
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax((K @ (beta * (mu[a] + mu[b]))).clamp(max=50), -1)
    return alpha @ V, alpha
