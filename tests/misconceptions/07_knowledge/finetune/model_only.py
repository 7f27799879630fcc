# expect: reject
# hint: return two things: the finetuned model and its history
# Forgets the history.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model
