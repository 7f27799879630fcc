# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    p = torch.full(ids.shape, rate)
    for s in special:
        p[ids == s] = 0.0
    chosen = torch.bernoulli(p, generator=generator).bool()
    fate = torch.multinomial(torch.tensor([0.8, 0.1, 0.1]), ids.numel(), replacement=True, generator=generator).view(ids.shape)
    weights = torch.ones(vocab_size)
    weights[list(special)] = 0
    words = torch.multinomial(weights, ids.numel(), replacement=True, generator=generator).view(ids.shape)
    x = torch.where(chosen & (fate == 0), mask_id, torch.where(chosen & (fate == 1), words, ids))
    return x, ids.masked_fill(~chosen, -100)
