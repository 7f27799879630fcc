# expect: reject
# hint: Dropout is on while it writes: call model.eval() first, which reaches the model and all its parts.
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    model.training = False
    ids = [SOS, *prompt]
    new = []
    with torch.no_grad():
        for _ in range(max_new):
            z = model(torch.tensor([ids]))[0, -1]
            if temperature == 0:
                k = int(z.argmax())
            else:
                k = int(torch.multinomial((z / temperature).softmax(-1), 1, generator=generator))
            if k == EOS:
                break
            ids.append(k)
            new.append(k)
    return new
