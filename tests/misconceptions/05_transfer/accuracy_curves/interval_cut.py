# expect: reject
# hint: The interval is cut off at -1 and 1: return what mean_interval gives.
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
    first = [p[0] - s[0] for s, p in zip(scratch, pretrained)]
    area = [sum(p) / len(p) - sum(s) / len(s) for s, p in zip(scratch, pretrained)]
    return (lambda m: (m[0], max(m[1], -1), min(m[2], 1)))(mean_interval(first)), mean_interval(area)
