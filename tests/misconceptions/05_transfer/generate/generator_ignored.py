# expect: reject
# hint: with equal generators the draws are alike
@torch.no_grad()
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    was = model.training
    model.eval()
    new = []
    while len(new) < max_new:
        z = model(torch.tensor([[SOS] + list(prompt) + new]))[0, -1]
        if temperature == 0:
            k = int(z.argmax())
        else:
            k = int(torch.multinomial(torch.softmax(z / temperature, 0), 1))
        if k == EOS:
            break
        new.append(k)
    model.train(was)
    return new
