# expect: reject
# hint: instead of cutting scores off
def attention(q, K, V):
    alpha = torch.softmax((K @ q).clamp(-50, 50), dim=0)
    return alpha @ V, alpha
