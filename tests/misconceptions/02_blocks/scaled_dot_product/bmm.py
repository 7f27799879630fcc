# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    B, H, Lq, d = q.shape
    s = torch.bmm(q.reshape(B*H, Lq, d), k.reshape(B*H, -1, d).transpose(1, 2)).view(B, H, Lq, -1) / d ** .5
    if mask is not None:
        s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
    w = F.softmax(s, -1)
    return [w @ v, w]
