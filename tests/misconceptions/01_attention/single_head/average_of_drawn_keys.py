# expect: reject
# hint: the query was built from the average of the drawn keys, which nobody knows in advance: use the means mu
def single_head(mu, K, V, a, b, beta):
    query = beta * (K[:, a] + K[:, b]).mean(0)
    alpha = torch.softmax(K @ query, dim=-1)
    return alpha @ V, alpha
