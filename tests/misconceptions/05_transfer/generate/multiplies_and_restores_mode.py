# expect: reject
# hint: close to temperature 0 draws are the most likely tokens too
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    was = model.training
    model.eval()
    ids = [SOS] + list(prompt)
    new = []
    with torch.no_grad():
        for _ in range(max_new):
            z = model(torch.tensor([ids]))[0, -1]
            if temperature == 0:
                k = int(z.argmax())
            else:
                k = int(torch.multinomial((z * temperature).softmax(-1), 1, generator=generator))
            if k == EOS:
                break
            ids.append(k)
            new.append(k)
    model.train(was)
    return new
