# expect: reject
# hint: MASK and random words are exchanged: of the chosen, 80 % become MASK and 10 % a random word.
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    sp = torch.isin(ids, torch.tensor(special))
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~sp
    r = torch.rand(ids.shape, generator=generator)
    words = torch.tensor([i for i in range(vocab_size) if i not in set(special)])
    rand = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (r >= 0.8) & (r < 0.9), mask_id, ids)
    x = torch.where(chosen & (r < 0.8), rand, x)
    return x, torch.where(chosen, ids, -100)
