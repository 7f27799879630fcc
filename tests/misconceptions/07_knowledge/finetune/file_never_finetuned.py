# expect: reject
# hint: holds the pretrained weights
# files: finetuned.safetensors=pretrained.safetensors
# The pretrained checkpoint handed in.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
