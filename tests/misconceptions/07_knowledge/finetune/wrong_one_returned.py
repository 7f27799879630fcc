# expect: reject
# hint: still has the pretrained weights
# Returns the model that was not finetuned.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return pretrained, history
