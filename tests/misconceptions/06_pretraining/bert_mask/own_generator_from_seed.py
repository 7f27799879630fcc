# expect: reject
# hint: two calls give the same mask: draw anew at every call, from the generator as it stands
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    generator = torch.Generator().manual_seed(generator.initial_seed())
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
