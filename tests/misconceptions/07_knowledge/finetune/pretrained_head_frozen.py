# expect: reject
# hint: the pretrained model keeps its weights, but some of them no longer require gradients: change nothing of it
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    list(pretrained.parameters())[-1].requires_grad = False
    return model, history
