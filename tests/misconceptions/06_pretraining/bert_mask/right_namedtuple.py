# expect: accept
from typing import NamedTuple
class Damaged(NamedTuple):
    x: Tensor
    y: Tensor
def bert_mask(ids, special, mask_id, vocab_size, generator, rate=0.15):
    spec = torch.tensor(special)
    ordinary = ~torch.isin(ids, spec)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    u = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    c = (u < rate) & ordinary
    lot = u / rate if rate else u
    new = words[torch.randint(len(words), ids.shape, generator=generator)]
    return Damaged(torch.where(c & (lot < .8), mask_id, torch.where(c & (lot < .9), new, ids)), torch.where(c, ids, -100))
