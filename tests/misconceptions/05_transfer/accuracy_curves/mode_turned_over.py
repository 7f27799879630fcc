# expect: reject
# hint: a model that was in evaluation mode must be in evaluation mode afterwards: do not end with model.train()
def accuracy(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, labels in batches:
            right += int((model(x).argmax(-1) == labels).sum())
            total += len(labels)
    model.train(not model.training)
    return right / total


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise ValueError("at least three seeds")
    first = [p[0] - s[0] for s, p in zip(scratch, pretrained)]
    area = [sum(p) / len(p) - sum(s) / len(s) for s, p in zip(scratch, pretrained)]
    return mean_interval(first), mean_interval(area)
