# expect: reject
# hint: which words are chosen: each one with probability rate, by itself
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    B, T = ids.shape
    chosen = torch.rand((B + 1) // 2, T, generator=generator).repeat(2, 1)[:B] < rate
    chosen &= ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
