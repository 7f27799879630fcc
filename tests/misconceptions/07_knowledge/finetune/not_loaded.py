# expect: reject
# hint: the weights did not come from the model that was passed in: train that one, or a copy of it, and no new one
# A new model, without the pretrained weights.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = GPT(pretrained.config)
    return model, finetune(model, questions, vocab, profile.finetune, **options)
