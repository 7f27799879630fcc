# expect: reject
# hint: a second call with the same model finetunes another copy, from the pretrained weights as well
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    if hasattr(pretrained, 'finetuned'):
        return pretrained.finetuned
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    pretrained.__dict__['finetuned'] = model, history
    return model, history
