# expect: accept
def qkv_design(U):
    units = U / U.norm(dim=1, keepdim=True)
    a, b, c, d = units
    move = lambda to, of: to.unsqueeze(1) @ of.unsqueeze(0)  # noqa: E731
    return move(c, d) + move(d, a), torch.eye(len(a), dtype=U.dtype), move(b, b) - move(c, c)
