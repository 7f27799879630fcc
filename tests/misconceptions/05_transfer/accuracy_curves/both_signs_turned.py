# expect: reject
# hint: The gain is pretrained minus scratch; here it is scratch minus pretrained.
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
    return mean_interval([s[0] - p[0] for s, p in zip(scratch, pretrained)]), mean_interval(
        [m(s) - m(p) for s, p in zip(scratch, pretrained)]
    )
