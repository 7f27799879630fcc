# expect: accept
class Continuation:
    def __init__(self, model, ids):
        self.model, self.ids = model, list(ids)

    @torch.no_grad()
    def step(self, temperature, generator):
        z = self.model(torch.as_tensor(self.ids).view(1, -1))[0][-1]
        if not temperature:
            return torch.argmax(z).item()
        return torch.multinomial(F.softmax(z / temperature, dim=0), num_samples=1, generator=generator).item()


def generate(model, prompt, max_new, temperature=0.0, generator=None):
    model.eval()
    text = Continuation(model, [SOS] + list(prompt))
    while len(text.ids) < 1 + len(prompt) + max_new and (token := text.step(temperature, generator)) != EOS:
        text.ids.append(token)
    return text.ids[len(prompt) + 1 :]
