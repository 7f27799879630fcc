# expect: accept
def projector(A):
    columns = []
    for e in torch.eye(A.shape[0], dtype=A.dtype):
        w = torch.linalg.lstsq(A, e[:, None]).solution
        columns.append((A @ w)[:, 0])
    return torch.stack(columns, dim=1)
