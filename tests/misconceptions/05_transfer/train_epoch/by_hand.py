# expect: accept
def lm_loss(logits, y):
    logp = torch.log_softmax(logits, dim=-1)
    total, count = 0.0, 0
    for b in range(y.shape[0]):
        for s in range(y.shape[1]):
            if y[b, s] != PAD:
                total = total - logp[b, s, y[b, s]]
                count += 1
    return total / count


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    total = 0.0
    for x, y in batches:
        for p in model.parameters():
            p.grad = None
        loss = loss_fn(model(x), y)
        loss.backward()
        norm = torch.sqrt(sum((p.grad**2).sum() for p in model.parameters() if p.grad is not None))
        if norm > clip:
            for p in model.parameters():
                if p.grad is not None:
                    p.grad *= clip / norm
        optimizer.step()
        total += float(loss)
    model.eval()
    return total / len(batches)
