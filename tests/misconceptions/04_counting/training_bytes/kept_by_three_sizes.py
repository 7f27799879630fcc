# expect: reject
# hint: keep no results, or keep them by all seven sizes
_memo = {}

def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    key = (N, B, T)
    if key not in _memo:
        _memo[key] = (16 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V))
    return _memo[key]
