# expect: reject
# hint: the same corruption was trained on twice
from itertools import cycle
def pretrain(model, documents, vocab, config, **options):
    d = CharCorruptionDataset(documents, vocab, model.config.block_size)
    e = [tuple(torch.stack(z) for z in zip(*[d[i] for i in range(len(d))])) for _ in range(2)]
    return train(model, cycle(e), config, **options)
