# expect: reject
# hint: logits far from 0
# keeps: train_epoch
def lm_loss(logits, y):
    real = y != PAD
    return -logits[real].softmax(-1).gather(1, y[real].unsqueeze(1)).log().mean()


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
    return total / len(batches)
