# expect: reject
# hint: sum these rows over the items
def attention(q, K, V):
    alpha = torch.softmax(K @ q, dim=0)
    return alpha[:, None] * V, alpha
