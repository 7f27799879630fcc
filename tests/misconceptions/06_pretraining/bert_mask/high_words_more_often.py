# expect: reject
# hint: random words come evenly: each half and each tenth of a large vocabulary
def bert_mask(
    ids: Tensor, special: list[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in set(special)])
    word = ~torch.isin(ids, torch.tensor(special))
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & word
    kind = torch.rand(ids.shape, generator=generator)
    drawn = ordinary[(torch.rand(ids.shape, generator=generator) ** 0.8 * len(ordinary)).long().clamp(max=len(ordinary) - 1)]
    x = ids.clone()
    x = torch.where(chosen & (kind < 0.8), mask_id, x)
    x = torch.where(chosen & (kind >= 0.8) & (kind < 0.9), drawn, x)
    y = torch.where(chosen, ids, -100)
    return x, y
