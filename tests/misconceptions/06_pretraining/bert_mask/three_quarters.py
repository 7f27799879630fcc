# expect: reject
# hint: of the chosen words 80 % become MASK, 10 % a random word and 10 % stay: yours are close to these shares, but others
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, torch.tensor(special))
    what = torch.rand(ids.shape, generator=generator)
    words = ordinary[torch.randint(len(ordinary), ids.shape, generator=generator)]
    x = torch.where(chosen & (what < 0.775), mask_id, ids)
    x = torch.where(chosen & (what >= 0.775) & (what < 0.9), words, x)
    return x, torch.where(chosen, ids, -100)
