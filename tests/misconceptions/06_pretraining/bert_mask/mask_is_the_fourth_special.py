# expect: reject
# hint: MASK is whatever mask_id says, which need not stand at a fixed place of special: use mask_id
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, torch.tensor(special))
    what = torch.rand(ids.shape, generator=generator)
    words = ordinary[torch.randint(len(ordinary), ids.shape, generator=generator)]
    x = torch.where(chosen & (what < 0.8), special[3] if len(special) > 3 else mask_id, ids)
    x = torch.where(chosen & (what >= 0.8) & (what < 0.9), words, x)
    return x, torch.where(chosen, ids, -100)
