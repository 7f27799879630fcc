# expect: reject
# hint: any ids may be special, and MASK alone may be all of them: count nothing by a place in special
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    pad, cls, sep = special[:3]
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in special])
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, torch.tensor(special))
    what = torch.rand(ids.shape, generator=generator)
    words = ordinary[torch.randint(len(ordinary), ids.shape, generator=generator)]
    x = torch.where(chosen & (what < 0.8), mask_id, ids)
    x = torch.where(chosen & (what >= 0.8) & (what < 0.9), words, x)
    return x, torch.where(chosen, ids, -100)
