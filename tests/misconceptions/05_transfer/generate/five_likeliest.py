# expect: reject
# hint: each of many tokens may be drawn, the unlikely ones too
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
            token = int(torch.multinomial((logits / temperature).masked_fill(logits < logits.topk(min(5, len(logits))).values[-1], float('-inf')).softmax(-1), 1, generator=generator))
        if token == EOS:
            break
        new.append(token)
    return new
