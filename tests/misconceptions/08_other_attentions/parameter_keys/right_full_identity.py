# expect: accept
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = hidden @ B[..., :T] + b2[:, None, :T]
    k = torch.eye(T, dtype=q.dtype).expand(batch, H, T, T)
    return q, k
