# expect: accept
def generate(model, prompt, max_new, temperature=0.0, generator=None):
    if max_new == 0:
        return []
    model.train(False)
    with torch.inference_mode():
        z = model(torch.tensor([SOS, *prompt]).unsqueeze(0)).squeeze(0)[-1]
        if temperature:
            token = torch.multinomial(torch.exp(torch.log_softmax(z / temperature, -1)), 1, generator=generator).item()
        else:
            token = z.argmax().item()
    if token == EOS:
        return []
    return [token, *generate(model, [*prompt, token], max_new - 1, temperature, generator)]
