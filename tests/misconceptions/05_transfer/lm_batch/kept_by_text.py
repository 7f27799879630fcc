# expect: reject
# hint: make new tensors in each call: kept ones are changed by later calls and by whoever changes a result
_kept = {}
def _made(sentences):
    width = max(len(s) for s in sentences) + 1
    fill = lambda row: row + [PAD] * (width - len(row))
    x = torch.tensor([fill([SOS, *s]) for s in sentences])
    y = torch.tensor([fill([*s, EOS]) for s in sentences])
    return x, y

def lm_batch(sentences):
    key = str(sentences)
    if key not in _kept:
        _kept[key] = _made(sentences)
    return _kept[key]
