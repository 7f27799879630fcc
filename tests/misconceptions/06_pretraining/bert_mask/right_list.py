# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    special = set(special); words = [w for w in range(vocab_size) if w not in special]
    import random
    g = random.Random(int(torch.randint(2**62, (), generator=generator)))
    x = ids.clone(); y = torch.full_like(ids, -100)
    for b, t in (ids == ids).nonzero().tolist():
        w = int(ids[b, t])
        if w in special or g.random() >= rate: continue
        y[b, t] = w
        x[b, t] = g.choices([mask_id, g.choice(words), w], [8, 1, 1])[0]
    return [x, y]
