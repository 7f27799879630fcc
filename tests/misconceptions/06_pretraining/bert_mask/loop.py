# expect: accept
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    x, y = ids.tolist(), [[-100] * ids.shape[1] for _ in range(len(ids))]
    banned = set(special)
    words = [w for w in range(vocab_size) if w not in banned]
    draws = torch.rand(*ids.shape, 2, generator=generator).tolist()
    for b, row in enumerate(ids.tolist()):
        for t, token in enumerate(row):
            first, second = draws[b][t]
            if token in banned or first >= rate:
                continue
            y[b][t] = token
            if second < 0.8:
                x[b][t] = mask_id
            elif second < 0.9:
                x[b][t] = words[int(torch.randint(len(words), (), generator=generator))]
    return torch.tensor(x), torch.tensor(y)
