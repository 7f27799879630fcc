# expect: reject
# hint: the random word depends on the draw that decided the fate, so only a few words ever come: draw it by itself
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[(lot * len(words)).long()]
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
