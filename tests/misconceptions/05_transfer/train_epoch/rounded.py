# expect: reject
# hint: a loss of 0, or near 0, counts as it is
# keeps: lm_loss
def lm_loss(logits, y):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1), ignore_index=PAD)


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
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
    return round(total / len(batches), 4)
