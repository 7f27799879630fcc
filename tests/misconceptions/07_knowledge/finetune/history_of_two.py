# expect: reject
# hint: the history is not that of this training: return what train gives
# A history of its own making.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, History(loss=[sum(history.loss) / len(history.loss)] * len(history.loss), accuracy=history.accuracy)
