# expect: accept
@torch.no_grad()
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    model.eval()
    x = torch.tensor([[SOS] + list(prompt)])
    new = []
    while len(new) < max_new:
        z = model(x)[0, -1]
        if temperature > 0:
            p = torch.softmax(z / temperature, 0).cumsum(0)
            k = min(int((p < torch.rand(1, generator=generator)).sum()), len(z) - 1)
        else:
            k = int(torch.topk(z, 1).indices)
        if k == EOS:
            return new
        new.append(k)
        x = torch.cat([x, torch.tensor([[k]])], dim=1)
    return new
