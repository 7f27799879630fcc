# expect: reject
# hint: are not the items of NameDataset
def finetune(model, questions, vocab, config, **options):
    class D(NameDataset):
        def __getitem__(self, i):
            x, y = super().__getitem__(i)
            return x, torch.cat([x[1:], y[-1:]])
    return train(model, D(questions, vocab, model.config.block_size), config, **options)
