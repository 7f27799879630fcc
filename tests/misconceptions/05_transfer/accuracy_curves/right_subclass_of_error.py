# expect: accept
class TooFewSeeds(ValueError):
    pass


def accuracy(model, batches):
    was_right = []
    model.eval()
    with torch.inference_mode():
        for x, y in batches:
            was_right.extend((model(x).max(dim=-1).indices == y).tolist())
    return sum(was_right) / len(was_right)


def gain(scratch, pretrained):
    if len(scratch) < 3:
        raise TooFewSeeds
    d = torch.tensor(pretrained, dtype=torch.float64) - torch.tensor(scratch, dtype=torch.float64)
    return mean_interval(d[:, 0].tolist()), mean_interval(d.mean(1).tolist())
