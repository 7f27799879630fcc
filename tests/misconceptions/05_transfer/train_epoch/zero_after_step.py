# expect: accept
def lm_loss(logits, y):
    real = y != PAD
    return F.cross_entropy(logits[real], y[real])


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    optimizer.zero_grad()
    mean = 0.0
    for n, (x, y) in enumerate(batches, 1):
        loss = loss_fn(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=clip)
        optimizer.step()
        optimizer.zero_grad()
        mean += (loss.item() - mean) / n
    model.train(False)
    return mean
