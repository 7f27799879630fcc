# expect: reject
# hint: a model that was in evaluation mode must be in evaluation mode afterwards: do not end with model.train()
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
            token = int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
        if token == EOS:
            model.train()
            return new
        new.append(token)
    model.train()
    return new
