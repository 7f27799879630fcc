# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    """One uniform number per position decides everything: [0, .8 rate) MASK, then .1 rate random, then .1 rate kept."""
    ordinary = torch.ones(vocab_size, dtype=torch.bool)
    ordinary[torch.tensor(special)] = False
    u = torch.rand(ids.shape, generator=generator).masked_fill(~ordinary[ids], 2.0)
    words = ordinary.nonzero().squeeze(1)
    x, y = ids.clone(), torch.full_like(ids, -100)
    y[u < rate] = ids[u < rate]
    swap = (u >= 0.8 * rate) & (u < 0.9 * rate)
    x[u < 0.8 * rate] = mask_id
    x[swap] = words[torch.randint(len(words), (int(swap.sum()),), generator=generator)]
    return x, y
