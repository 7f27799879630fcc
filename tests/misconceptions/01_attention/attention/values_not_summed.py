# expect: reject
# hint: c still holds one row α_i v_i per item: sum these rows over the items, what remains has shape (p,)
def attention(q, K, V):
    alpha = torch.softmax(K @ q, dim=0)
    return alpha[:, None] * V, alpha
