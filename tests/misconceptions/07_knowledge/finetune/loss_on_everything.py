# expect: reject
# hint: are not the items of NameDataset
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    class D(NameDataset):
        def __getitem__(self, i):
            x, y = super().__getitem__(i)
            return x, torch.cat([x[1:], y[-1:]])
    return model, train(model, D(questions, vocab, model.config.block_size), profile.finetune, **options)
