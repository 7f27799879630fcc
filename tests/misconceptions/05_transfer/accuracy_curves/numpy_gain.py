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


import numpy as np


def gain(scratch, pretrained):
    s, p = np.array(scratch), np.array(pretrained)
    if len(s) < 3 or len(p) < 3:
        raise ValueError("too few seeds")
    d = p - s
    return mean_interval(d[:, 0].tolist()), mean_interval(d.mean(axis=1).tolist())
