# expect: reject
# hint: a second call with the same model, whose weights are others by then, begins with these
STARTS = {}
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    start = STARTS.setdefault(id(pretrained), copy.deepcopy(pretrained.state_dict()))
    model = copy.deepcopy(pretrained)
    model.load_state_dict(start)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
