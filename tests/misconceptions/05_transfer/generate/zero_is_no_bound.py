# expect: reject
# hint: max_new may be 0: then no token comes, greedy or drawn
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
        for _ in range(max_new or 20):
            z = model(torch.tensor([ids]))[0, -1]
            if temperature == 0:
                k = int(z.argmax())
            else:
                k = int(torch.multinomial((z / temperature).softmax(-1), 1, generator=generator))
            if k == EOS:
                break
            ids.append(k)
            new.append(k)
    model.train(was)
    return new
