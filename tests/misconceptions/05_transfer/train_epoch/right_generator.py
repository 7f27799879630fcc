# expect: accept
def lm_loss(logits, y):
    real = y != PAD
    return F.nll_loss(logits[real].log_softmax(-1), y[real])


def _losses(model, optimizer, batches, loss_fn, clip):
    for inputs, targets in batches:
        model.zero_grad(set_to_none=True)
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], max_norm=clip)
        optimizer.step()
        yield float(loss.detach())


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    found = list(_losses(model, optimizer, batches, loss_fn, clip))
    model.eval()
    return math.fsum(found) / len(found)
