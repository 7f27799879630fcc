# expect: reject
# hint: the language tag stands in the translation: leave it out, and keep the last word
def shift_right(target: Tensor, tag: Tensor) -> Tensor:
    """Decoder input for teacher forcing. target: (B, T) ids, tag: (B,) ids -> (B, T): the tag, then target without its last column."""
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)  # (B, 1) and (B, T-1) -> (B, T)


def translation_loss(model, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy in nats over the tokens of target that are not PAD. source: (B, Ls), tag: (B,), target: (B, T)."""
    logits = model(source, shift_right(target, tag))  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)


def translate(model, source: Tensor, tag: Tensor, max_words: int) -> Tensor:
    """Greedy translation: ids (B, n), n <= max_words, without the tag; each row up to its first EOS, then PAD."""
    with torch.no_grad():
        memory = model.encode(source)
        words = tag[:, None]  # (B,) -> (B, 1)
        done = torch.zeros_like(tag, dtype=torch.bool)
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill(done, PAD)
            words = torch.cat([words, following[:, None]], dim=1)  # (B, t) and (B, 1) -> (B, t+1)
            done = done | (following == EOS)
        return words[:, :-1]
