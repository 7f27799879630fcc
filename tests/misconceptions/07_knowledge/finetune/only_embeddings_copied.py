# expect: reject
# hint: the weights did not come from the model that was passed in: train that one, or a copy of it, and no new one
# Copies part of the weights.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = GPT(pretrained.config)
    model.token.load_state_dict(pretrained.token.state_dict())
    return model, finetune(model, questions, vocab, profile.finetune, **options)
