# expect: reject
# hint: a second pass with the same optimiser goes on where the first one ended
# keeps: lm_loss
def lm_loss(logits, y):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1), ignore_index=PAD)


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    total = 0.0
    optimizer.state.clear()
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
    model.eval()
    return total / len(batches)
