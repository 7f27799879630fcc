# expect: accept
def clone(model):
    """A model with equal weights of its own."""
    twin = GPT(model.config)
    twin.load_state_dict({name: value.clone() for name, value in model.state_dict().items()})
    return twin


def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = clone(pretrained)
    config = profile.finetune
    return [model, finetune(model, questions=questions, vocab=vocab, config=config, **options)]
