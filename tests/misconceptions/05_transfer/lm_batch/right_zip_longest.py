# expect: accept
def lm_batch(sentences):
    from itertools import zip_longest
    x = torch.tensor(list(zip_longest(*[[SOS, *s] for s in sentences], fillvalue=PAD))).T
    y = torch.tensor(list(zip_longest(*[[*s, EOS] for s in sentences], fillvalue=PAD))).T
    return x, y
