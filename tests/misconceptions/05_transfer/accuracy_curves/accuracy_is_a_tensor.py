# expect: reject
# hint: accuracy must return a Python number, and not a tensor
def accuracy(model: nn.Module, batches: list) -> float:
    was = model.training
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in batches:
            right += int((model(x).argmax(-1) == y).sum())
            total += len(y)
    model.train(was)
    return torch.tensor(right / total)


def gain(scratch: list[list[float]], pretrained: list[list[float]]) -> tuple[tuple, tuple]:
    if len(scratch) < 3 or len(pretrained) < 3:
        raise ValueError("fewer than three seeds")
    first = [p[0] - s[0] for s, p in zip(scratch, pretrained)]
    area = [sum(p) / len(p) - sum(s) / len(s) for s, p in zip(scratch, pretrained)]
    return mean_interval(first), mean_interval(area)
