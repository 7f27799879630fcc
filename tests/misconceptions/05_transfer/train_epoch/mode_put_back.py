# expect: reject
# hint: The model ends in evaluation mode, whatever its mode was before: end with model.eval().
# keeps: lm_loss
def lm_loss(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    was = model.training
    model.train()
    total = 0.0
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
    model.train(was)
    return total / len(batches)
