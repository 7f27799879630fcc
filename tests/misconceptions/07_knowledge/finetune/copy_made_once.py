# expect: reject
# hint: a second call with the same model finetunes another copy, from the pretrained weights as well
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    made = finetune_pretrained.__dict__.setdefault('made', {})
    model = made.setdefault(id(pretrained), copy.deepcopy(pretrained))
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
