# expect: reject
# hint: the two results are swapped: return the output c first, then the weights alpha
def attention(q, K, V):
    alpha = torch.softmax(K @ q, dim=0)
    return alpha, alpha @ V
