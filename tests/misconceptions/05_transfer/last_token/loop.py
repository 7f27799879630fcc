# expect: accept
def last_token(logits, x):
    rows = []
    for row, ids in zip(logits, x.tolist()):
        n = len(ids)
        while ids[n - 1] == PAD:
            n -= 1
        rows.append(row[n - 1])
    return torch.stack(rows)
