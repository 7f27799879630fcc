# expect: accept
def accuracy(model: nn.Module, batches: list) -> float:
    """Share (0..1) of rows for which the largest logit is at the label; dropout is off.

    Args:
        model: x -> logits (B, C).
        batches: pairs (x, labels (B,)), perhaps of different sizes.
    """
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, labels in batches:
            right += int((model(x).argmax(-1) == labels).sum())
            total += len(labels)
    return right / total


def gain(scratch, pretrained):
    n = len(scratch)
    if n <= 2:
        raise ValueError(f"{n} seeds are not enough")
    results = []
    for value in (lambda curve: curve[0], lambda curve: sum(curve) / len(curve)):
        differences = []
        for i in range(n):
            differences.append(value(pretrained[i]) - value(scratch[i]))
        results.append(mean_interval(differences))
    return results[0], results[1]
