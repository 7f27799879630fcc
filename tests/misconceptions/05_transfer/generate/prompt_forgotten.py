# expect: reject
# hint: Once a token is written the prompt is no longer read: give the model SOS, the prompt and all that is written.
def generate(
    model: nn.Module,
    prompt: list[int],
    max_new: int,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> list[int]:
    """Continue ``prompt`` (ids without SOS).

    Args:
        model: (1, n) ids -> (1, n, V) logits. While it writes, dropout is off; afterwards it is in evaluation mode,
            or in the mode in which it came.
        max_new: at most so many new tokens; those of the prompt do not count.
        temperature: 0 takes the most likely token each time; above, tokens are drawn.
        generator: for the draws.

    Returns:
        The new ids alone, without SOS, prompt and EOS. The list ``prompt`` stays as it was.
    """
    model.eval()
    ids = [SOS, *prompt]
    with torch.no_grad():
        for _ in range(max_new):
            logits = model(torch.tensor([[SOS, *ids[1 + len(prompt):]] if len(ids) > 1 + len(prompt) else ids]))[0, -1]  # (1, n, V) -> (V,)
            if temperature == 0:
                chosen = int(logits.argmax())
            else:
                chosen = int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
            if chosen == EOS:
                break
            ids.append(chosen)
    return ids[1 + len(prompt) :]
