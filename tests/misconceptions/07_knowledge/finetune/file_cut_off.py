# expect: reject
# hint: truncated
# files: finetuned.safetensors=cut_off.safetensors
# Half a file.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
