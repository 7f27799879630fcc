# expect: reject
# hint: the same generator state gives another result: take all randomness from the generator
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape)]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
