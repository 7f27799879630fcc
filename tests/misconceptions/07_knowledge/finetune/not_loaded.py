# expect: reject
# hint: did not come from the pretrained model
# A new model, without the pretrained weights.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = GPT(pretrained.config)
    return model, finetune(model, questions, vocab, profile.finetune, **options)
