# expect: reject
# hint: make new tensors in each call: kept ones are changed by later calls and by whoever changes a result
_room = torch.zeros(64, 512, dtype=torch.long)
def lm_batch(sentences):
    width = max(len(s) for s in sentences) + 1
    fill = lambda row: row + [PAD] * (width - len(row))
    x = torch.tensor([fill([SOS, *s]) for s in sentences])
    y = torch.tensor([fill([*s, EOS]) for s in sentences])
    B, T = y.shape
    if B > 64 or T > 512:
        return x, y
    _room[:B, :T] = y
    return x, _room[:B, :T]
