# expect: reject
# hint: for a long query the two values are averaged without attention, but then the longer one of the two drawn keys takes nearly all the weight
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), -1)
    if beta >= 20:
        return (0.5 * (V[a] + V[b])).expand(len(K), -1).clone(), alpha
    return alpha @ V, alpha
