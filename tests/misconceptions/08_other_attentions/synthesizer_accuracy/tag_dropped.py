# expect: reject
# hint: tag did not reach both trainings: pass **options on in both calls of train
def question_rows(questions, vocab, T):
    X = torch.full((len(questions), T), vocab.pad_id)
    Y = torch.full((len(questions), T), vocab.pad_id)
    for i, q in enumerate(questions):
        text, answer = vocab.encode(q.text), vocab.encode(q.answer)
        s = text + [vocab.mask_id] + answer + [vocab.mask_id]
        s += [vocab.pad_id] * (T + 1 - len(s))
        X[i] = torch.tensor(s[:-1])
        Y[i, len(text):] = torch.tensor(s[1 + len(text):])
    return X, Y


def pretrain_and_finetune(model, source, questions, vocab, profile, **options):
    options.pop("tag", None)
    before = train(model, source, profile.pretrain, **options)
    rows = question_rows(questions, vocab, model.config.block_size)
    after = train(model, iter([rows] * profile.finetune.epochs), profile.finetune, **options)
    return before, after
