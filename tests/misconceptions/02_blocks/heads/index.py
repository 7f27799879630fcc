# expect: accept
def split_heads(x, heads):
    B, L, D = x.shape
    d = D // heads
    index = torch.arange(D).view(heads, d)
    return x[:, :, index].transpose(1, 2)
def merge_heads(x):
    return torch.einsum("bhld->blhd", x).flatten(2)
