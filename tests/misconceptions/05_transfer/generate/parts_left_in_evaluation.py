# expect: reject
# hint: a model that was in training mode is in one mode afterwards, with all its parts
def generate(
    model: nn.Module,
    prompt: list[int],
    max_new: int,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> list[int]:
    was = model.training
    model.eval()
    ids, new = [SOS, *prompt], []
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
    model.training = was
    return new
