# expect: reject
# hint: two huge scores that differ by ln 3 must get weights of 3 to 1: subtract the largest score instead of cutting scores off
def attention(q, K, V):
    alpha = torch.softmax((K @ q).clamp(-50, 50), dim=0)
    return alpha @ V, alpha
