# expect: reject
# hint: the returned model still has the pretrained weights: return the model that was finetuned
# Returns the model that was not finetuned.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return pretrained, history
