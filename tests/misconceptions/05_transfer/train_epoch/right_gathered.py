# expect: accept
def lm_loss(logits, y):
    terms = torch.logsumexp(logits, -1) - logits.gather(-1, y.unsqueeze(-1)).squeeze(-1)
    weight = (y != PAD).to(terms.dtype)
    return torch.sum(terms * weight) / weight.sum()


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    total, n = 0.0, 0
    model.train(True)
    for batch in batches:
        loss = loss_fn(model(batch[0]), batch[1])
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total, n = total + loss.detach().item(), n + 1
    model.train(False)
    return total / n
