# expect: accept
import numpy as np


def lm_loss(logits, y):
    B, T, V = logits.shape
    return nn.CrossEntropyLoss(ignore_index=PAD)(logits.reshape(B * T, V), y.reshape(-1))


def train_epoch(model, optimizer, batches, loss_fn, clip=1.0):
    model.train()
    values = np.zeros(len(batches))
    for k in range(len(batches)):
        x, y = batches[k]
        for p in model.parameters():
            p.grad = None
        loss = loss_fn(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        values[k] = loss.item()
    model.eval()
    return values.mean().item()
