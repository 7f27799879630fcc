# expect: reject
# hint: Two seeds with the same curves are two seeds: leave none out.
def accuracy(model, batches):
    model.eval()
    right = n = 0
    with torch.no_grad():
        for x, y in batches:
            right += int((model(x).argmax(-1) == y).sum())
            n += len(y)
    return right / n


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise ValueError("three seeds at least")
    scratch, pretrained = zip(*dict.fromkeys((tuple(s), tuple(p)) for s, p in zip(scratch, pretrained)))
    if len(scratch) < 3: raise ValueError
    first = [p[0] - s[0] for s, p in zip(scratch, pretrained)]
    area = [sum(p) / len(p) - sum(s) / len(s) for s, p in zip(scratch, pretrained)]
    return mean_interval(first), mean_interval(area)
