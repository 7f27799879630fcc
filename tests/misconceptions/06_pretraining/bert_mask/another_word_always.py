# expect: reject
# hint: the random word is never the original one: draw from all ordinary ids, the original among them, so that a tenth of the draws is not drawn again
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    lot = torch.rand(ids.shape, generator=generator)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    while bool((same := new == ids).any()) and len(words) > 1:
        new = torch.where(same, words[torch.randint(len(words), ids.shape, generator=generator)], new)
    x = torch.where(chosen & (lot < .8), mask_id, torch.where(chosen & (lot < .9), new, ids))
    return x, torch.where(chosen, ids, -100)
