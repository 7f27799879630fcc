# expect: reject
# hint: finetune shorter and with a smaller rate
# files: finetuned.safetensors=hot.safetensors
# Finetuned too hot.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
