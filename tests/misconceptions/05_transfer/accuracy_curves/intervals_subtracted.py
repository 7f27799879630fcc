# expect: reject
# hint: The two conditions are treated as unrelated: take the difference of each seed first, then one interval of these.
def accuracy(model, batches):
    was = model.training
    model.eval()
    right = n = 0
    with torch.no_grad():
        for x, y in batches:
            right += int((model(x).argmax(-1) == y).sum())
            n += len(y)
    model.train(was)
    return right / n


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise ValueError("few")
    m = lambda v: sum(v) / len(v)
    return tuple(
        a - b for a, b in zip(mean_interval([p[0] for p in pretrained]), mean_interval([s[0] for s in scratch]))
    ), mean_interval([m(p) - m(s) for s, p in zip(scratch, pretrained)])
