# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    words = torch.tensor([i for i in range(vocab_size) if i not in set(special)])
    plain = ~torch.isin(ids, torch.tensor(special))
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & plain
    u = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    chosen = (u < rate) & plain
    fate = u / max(rate, 1e-12)
    random_words = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = torch.where(chosen & (fate < 0.8), mask_id, ids)
    x = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), random_words, x)
    return x, torch.where(chosen, ids, -100)
