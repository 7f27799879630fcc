# expect: reject
# hint: gain at epoch 1 and in area: mean_interval of the differences
def accuracy(model, batches):
    model.eval()
    share, total = 0.0, 0
    with torch.no_grad():
        for x, y in batches:
            logits = model(x)
            own = logits.gather(1, y[:, None])
            right = (logits > own).sum(1) == 0
            total += len(y)
            share += (right.double().mean().item() - share) * len(y) / total
    return share


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise ValueError("one run gives no interval")
    mean = lambda curve: sum(curve) / len(curve)
    for curve in (*scratch, *pretrained):
        curve[:] = [round(value, 6) for value in curve]
    results = []
    for measure in (lambda curve: curve[0], mean):
        results.append(tuple(mean_interval([measure(p) - measure(s) for p, s in zip(pretrained, scratch)])))
    return tuple(results)
