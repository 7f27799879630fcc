# expect: accept
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = GPT(pretrained.config)
    with torch.no_grad():
        for new, old in zip(model.parameters(), pretrained.parameters()):
            new.copy_(old)
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return model, train(model, dataset, profile.finetune, **options)
