# expect: reject
# hint: That is the mean of the rows' means: every target that is not PAD counts the same, whatever its row.
# keeps: train_epoch
def lm_loss(logits: Tensor, y: Tensor) -> Tensor:
    losses = F.cross_entropy(logits.transpose(1, 2), y, ignore_index=PAD, reduction="none").sum(1)
    count = (y != PAD).sum(1)
    return (losses / count.clamp(min=1))[count > 0].mean()


def train_epoch(model: nn.Module, optimizer, batches: list, loss_fn, clip: float = 1.0) -> float:
    model.train()
    total = 0.0
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
    model.eval()
    return total / len(batches)
