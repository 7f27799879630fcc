# expect: reject
# hint: The caller's list was changed: make a list of your own, [SOS, *prompt], and append to that.
@torch.no_grad()
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    was = model.training
    model.eval()
    new = []
    while len(new) < max_new:
        z = model(torch.tensor([[SOS] + prompt]))[0, -1]
        if temperature == 0:
            k = int(z.argmax())
        else:
            k = int(torch.multinomial(torch.softmax(z / temperature, 0), 1, generator=generator))
        if k == EOS:
            break
        new.append(k)
        prompt.append(k)
    model.train(was)
    return new
