# expect: reject
# hint: were the pretrained weights loaded
# files: finetuned.safetensors=scratch.safetensors
# Pretraining not loaded.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
