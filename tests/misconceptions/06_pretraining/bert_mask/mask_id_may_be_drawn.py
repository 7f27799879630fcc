# expect: reject
# hint: MASK is among the random words: draw among the ordinary ids alone, without mask_id
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    words = torch.tensor([i for i in range(vocab_size) if i not in special or i == mask_id])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
