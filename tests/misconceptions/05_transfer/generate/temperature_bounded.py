# expect: reject
# hint: each of many tokens may be drawn, the unlikely ones too
@torch.no_grad()
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    was = model.training
    model.eval()
    ids, new = [SOS, *prompt], []
    for _ in range(max_new):
        z = model(torch.tensor([ids]))[0, -1]
        if temperature == 0:
            token = int(z.argmax())
        else:
            token = int(torch.multinomial((z / min(temperature, 2.0)).softmax(-1), 1, generator=generator))
        if token == EOS:
            break
        ids.append(token)
        new.append(token)
    model.train(was)
    return new
