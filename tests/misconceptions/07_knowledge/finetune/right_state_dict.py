# expect: accept
# A new model with the old weights.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = GPT(pretrained.config)
    model.load_state_dict(pretrained.state_dict())
    return model, finetune(model, questions, vocab, profile.finetune, **options)
