# expect: reject
# hint: The same arguments give the same result
_kept = {}


def projector(A):
    key = (A.shape, round(A.abs().sum().item(), 6))
    if key not in _kept:
        _kept[key] = A @ torch.linalg.pinv(A)
    return _kept[key].clone()
