# expect: reject
# hint: x and y must be int64 tensors: torch.tensor of lists of ids
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences], dtype=torch.int32)
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences], dtype=torch.int32)
    return x, y
