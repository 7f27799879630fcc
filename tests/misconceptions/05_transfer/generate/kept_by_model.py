# expect: reject
# hint: ask the model anew in each call: its weights change between two calls
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    model.eval()
    seen = model.__dict__.setdefault("seen", {})  # what the model said of the same ids before
    x = torch.cat([torch.tensor([[SOS]]), torch.tensor(prompt, dtype=torch.long)[None]], dim=1)
    n = x.shape[1]
    with torch.inference_mode():
        for _ in range(max_new):
            last = seen.setdefault(tuple(x[0].tolist()), model(x)[:, -1, :])
            if temperature > 0:
                nxt = torch.multinomial(torch.softmax(last / temperature, dim=-1), 1, generator=generator)
            else:
                nxt = last.argmax(dim=-1, keepdim=True)
            if nxt.item() == EOS:
                break
            x = torch.cat([x, nxt], dim=1)
    return x[0, n:].tolist()
