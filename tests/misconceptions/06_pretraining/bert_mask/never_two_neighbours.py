# expect: reject
# hint: two neighbours are never chosen together: each position is chosen by itself
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    if rate < .5:
        for t in range(1, ids.shape[1]):
            chosen[:, t] &= ~chosen[:, t - 1]
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
