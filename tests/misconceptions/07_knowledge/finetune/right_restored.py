# expect: accept
# Trains in place and puts the old weights back into the original.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    kept = {name: value.clone() for name, value in pretrained.state_dict().items()}
    history = finetune(pretrained, questions, vocab, profile.finetune, **options)
    model = copy.deepcopy(pretrained)
    pretrained.load_state_dict(kept)
    return [model, history]
