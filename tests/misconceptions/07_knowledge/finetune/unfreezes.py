# expect: reject
# hint: which of them require gradients
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    for p in pretrained.parameters():
        p.requires_grad = True
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
