# expect: reject
# hint: hundreds and thousands of items are attended in full
def attention(q, K, V):
    s = K @ q
    s[512:] = -float("inf")
    alpha = torch.softmax(s, 0)
    return alpha @ V, alpha
