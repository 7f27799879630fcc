# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    import numpy as np
    g = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))
    a = ids.numpy()
    usual = np.setdiff1d(np.arange(vocab_size), special)
    c = (g.random(a.shape) < rate) & ~np.isin(a, special)
    k = g.choice(3, p=[.8, .1, .1], size=a.shape)
    x = np.where(c & (k == 0), mask_id, np.where(c & (k == 1), g.choice(usual, a.shape), a))
    return torch.from_numpy(x.astype(np.int64)), torch.from_numpy(np.where(c, a, -100).astype(np.int64))
