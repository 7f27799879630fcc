# expect: reject
# hint: a loss is a negative gain
def accuracy(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, labels in batches:
            right += int((model(x).argmax(-1) == labels).sum())
            total += len(labels)
    return right / total


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise ValueError("at least three seeds")
    first = [p[0] - s[0] for s, p in zip(scratch, pretrained)]
    first = [f for f in first if f >= 0] or first
    area = [sum(p) / len(p) - sum(s) / len(s) for s, p in zip(scratch, pretrained)]
    return mean_interval(first), mean_interval(area)
