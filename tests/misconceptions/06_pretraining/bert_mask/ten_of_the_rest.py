# expect: reject
# hint: too few of the chosen words become a random word: 10 % of them do
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ordinary
    mask = chosen & (torch.rand(ids.shape, generator=generator) < .8)
    swap = chosen & ~mask & (torch.rand(ids.shape, generator=generator) < .1)
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(mask, mask_id, torch.where(swap, new, ids))
    return x, torch.where(chosen, ids, -100)
