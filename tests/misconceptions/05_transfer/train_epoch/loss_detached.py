# expect: reject
# hint: Gradients flow through the result to the arguments.
# keeps: train_epoch
def lm_loss(logits: Tensor, y: Tensor) -> Tensor:
    """Mean cross-entropy in nats over the targets that are not PAD. logits: (B, T, V), y: (B, T) -> a scalar."""
    return F.cross_entropy(logits.detach().flatten(0, 1), y.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)


def train_epoch(model: nn.Module, optimizer, batches: list, loss_fn, clip: float = 1.0) -> float:
    """One pass over the batches, each a pair (x, y), with one step of the optimiser per batch.

    Args:
        loss_fn: ``loss_fn(model(x), y)`` is a scalar.
        clip: largest norm of the whole gradient.

    Returns:
        The mean of the batches' losses. The model is left in evaluation mode.
    """
    model.train()
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return sum(losses) / len(losses)
