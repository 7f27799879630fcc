# expect: reject
# hint: two results are swapped
def attention(q, K, V):
    alpha = torch.softmax(K @ q, dim=0)
    return alpha, alpha @ V
