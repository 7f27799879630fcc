# expect: reject
# hint: A gradient from before the first batch is added to its own: call optimizer.zero_grad() before each backward.
# keeps: lm_loss
def lm_loss(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    total = 0.0
    for x, y in batches:
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    model.eval()
    return total / len(batches)
