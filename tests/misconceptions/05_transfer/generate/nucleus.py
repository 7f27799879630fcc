# expect: reject
# hint: draw from all tokens: a part of the probability, the largest shares alone, is another distribution
@torch.no_grad()
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    model.eval()
    ids = [SOS, *prompt]
    new = []
    while len(new) < max_new:
        logits = model(torch.tensor([ids + new]))[0, -1]
        if temperature == 0:
            token = int(logits.argmax())
        else:
            p, order = (logits / temperature).softmax(-1).sort(descending=True)
            p = p.masked_fill(p.cumsum(0) - p > 0.9, 0.0)
            token = int(order[torch.multinomial(p, 1, generator=generator)])
        if token == EOS:
            break
        new.append(token)
    return new
