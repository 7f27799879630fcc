# expect: reject
# hint: The conditions are treated as unrelated: subtract seed by seed first, then take the interval of the differences.
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


def gain(scratch: list[list[float]], pretrained: list[list[float]]) -> tuple[tuple, tuple]:
    """What pretraining gains; entry s of both lists is one seed's curve, one accuracy per epoch.

    Returns:
        ``(mean, low, high)`` of the gain at epoch 1, and of the gain in area (mean over the epochs).

    Raises:
        ValueError: fewer than three seeds.
    """
    if min(len(scratch), len(pretrained)) < 3:
        raise ValueError("an interval needs at least three seeds")
    pairs = list(zip(scratch, pretrained, strict=True))
    one, two = mean_interval([p[0] for p in pretrained]), mean_interval([s[0] for s in scratch])
    first = (one[0] - two[0], one[1] - two[2], one[2] - two[1])
    area = mean_interval([sum(p) / len(p) - sum(s) / len(s) for s, p in pairs])
    return first, area
