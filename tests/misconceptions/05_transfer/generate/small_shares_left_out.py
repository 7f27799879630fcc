# expect: reject
# hint: tokens with small shares are drawn too, as often as softmax(logits / τ) says: none is left out
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
                k = int(torch.multinomial((lambda p: torch.where(p >= 1e-3, p, 0.0))((z / temperature).softmax(-1)), 1, generator=generator))
            if k == EOS:
                break
            ids.append(k)
            new.append(k)
    model.train(was)
    return new
