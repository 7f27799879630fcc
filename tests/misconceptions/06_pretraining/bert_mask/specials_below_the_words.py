# expect: reject
# hint: Words are chosen only above the largest special id: ordinary ids may lie below and between the special ones, too.
def bert_mask(
    ids: Tensor, special: list[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    """Damage a batch for masked language modelling.

    Args:
        ids: int64 (B, T), not changed.
        special: ids that are never chosen and never drawn, ``mask_id`` among them; any ids, in any order.
        vocab_size: V, so that ids are 0 … V-1.
        generator: source of all randomness, used as it stands.
        rate: probability with which a position is chosen, from 0 (none) to 1 (every word).

    Returns:
        x: int64 (B, T), the damaged ids; y: int64 (B, T), the original id where a position was chosen, else -100.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids > max(special))
    lot = torch.rand(ids.shape, generator=generator)
    words = torch.tensor(sorted(set(range(vocab_size)) - set(special)))
    strange = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = ids.clone()
    x[chosen & (lot < 0.8)] = mask_id
    x = torch.where(chosen & (lot >= 0.8) & (lot < 0.9), strange, x)
    return x, torch.where(chosen, ids, -100)
