# expect: reject
# hint: random words come evenly
def bert_mask(
    ids: Tensor, special: list[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in set(special)])
    word = ~torch.isin(ids, torch.tensor(special))
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & word
    kind = torch.rand(ids.shape, generator=generator)
    drawn = ordinary[torch.randint(min(1, len(ordinary) - 1), len(ordinary), ids.shape, generator=generator)]
    x = ids.clone()
    x = torch.where(chosen & (kind < 0.8), mask_id, x)
    x = torch.where(chosen & (kind >= 0.8) & (kind < 0.9), drawn, x)
    y = torch.where(chosen, ids, -100)
    return x, y
