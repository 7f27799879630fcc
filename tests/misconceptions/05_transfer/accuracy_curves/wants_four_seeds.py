# expect: reject
# hint: Three seeds are enough: ValueError is for fewer.
def accuracy(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in batches:
            right += (model(x).argmax(dim=-1) == y).sum().item()
            total += len(y)
    return right / total

def gain(scratch, pretrained):
    if len(scratch) <= 3 or len(pretrained) < 3:
        raise ValueError("at least three seeds")
    s, p = torch.tensor(scratch, dtype=torch.float64), torch.tensor(pretrained, dtype=torch.float64)
    d = p - s
    return mean_interval(d[:, 0].tolist()), mean_interval(d.mean(1).tolist())
