# expect: reject
# hint: a random word is a special id: draw among the ordinary ids alone
def bert_mask(
    ids: Tensor, special: list[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    """Damage a batch for masked language modelling.

    Args:
        ids: int64 (B, T); not changed.
        special: ids that are never chosen and never drawn (PAD, CLS, SEP, MASK, …; ``mask_id`` is among them).
        vocab_size: V; ids are 0 … V-1.
        generator: source of all randomness.
        rate: probability with which a position is chosen.

    Returns:
        x: int64 (B, T), the damaged ids; y: int64 (B, T), the original id where a position was chosen, else -100.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, torch.tensor(special))
    lot = torch.rand(ids.shape, generator=generator)
    words = torch.arange(vocab_size)
    strange = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = ids.clone()
    x[chosen & (lot < 0.8)] = mask_id
    x = torch.where(chosen & (lot >= 0.8) & (lot < 0.9), strange, x)
    return x, torch.where(chosen, ids, -100)
