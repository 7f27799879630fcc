# expect: reject
# hint: the pretrained model keeps its weights, but some of them no longer require gradients: change nothing of it
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    for parameter in pretrained.parameters():
        parameter.requires_grad_(False)
    return model, history
