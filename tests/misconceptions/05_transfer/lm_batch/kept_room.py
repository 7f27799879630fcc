# expect: reject
# hint: make new tensors in each call: kept ones are changed by later calls and by whoever changes a result
_room = {}
def lm_batch(sentences):
    width = max(len(s) for s in sentences) + 1
    x, y = _room.setdefault((len(sentences), width), (torch.zeros(len(sentences), width, dtype=torch.long), torch.zeros(len(sentences), width, dtype=torch.long)))
    x.zero_(), y.zero_()
    for b, s in enumerate(sentences):
        x[b, 0], y[b, len(s)] = SOS, EOS
        x[b, 1 : len(s) + 1] = y[b, : len(s)] = torch.tensor(s, dtype=torch.long)
    return x, y
