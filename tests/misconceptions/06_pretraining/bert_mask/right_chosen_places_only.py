# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    x, y = ids.clone(), torch.full_like(ids, -100)
    places = ordinary.nonzero(as_tuple=True)
    keep = torch.bernoulli(torch.full((len(places[0]),), float(rate)), generator=generator).bool()
    places = tuple(p[keep] for p in places)
    n = len(places[0])
    y[places] = ids[places]
    kind = torch.randint(10, (n,), generator=generator)
    new = words[torch.randint(len(words), (n,), generator=generator)]
    x[places] = torch.where(kind < 8, mask_id, torch.where(kind == 8, new, ids[places]))
    return x, y
