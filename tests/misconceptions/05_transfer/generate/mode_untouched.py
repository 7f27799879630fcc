# expect: reject
# hint: Dropout is on while it writes: call model.eval() first, which reaches the model and all its parts.
def generate(
    model: nn.Module,
    prompt: list[int],
    max_new: int,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> list[int]:
    """Continue ``prompt`` (ids without SOS).

    Args:
        model: (1, n) ids -> (1, n, V) logits. While it writes, dropout is off.
        max_new: at most so many new tokens.
        temperature: 0 takes the most likely token each time; above, tokens are drawn.
        generator: for the draws.

    Returns:
        The new ids alone, without SOS, prompt and EOS.
    """
    ids = [SOS, *prompt]
    with torch.no_grad():
        for _ in range(max_new):
            logits = model(torch.tensor([ids]))[0, -1]  # (1, n, V) -> (V,)
            if temperature == 0:
                chosen = int(logits.argmax())
            else:
                chosen = int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
            if chosen == EOS:
                break
            ids.append(chosen)
    return ids[1 + len(prompt) :]
