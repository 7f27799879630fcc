# expect: reject
# hint: pad did not reach both trainings: pass **options on in both calls of train
def question_rows(questions, vocab, T):
    X = torch.full((len(questions), T), vocab.pad_id)
    Y = torch.full((len(questions), T), vocab.pad_id)
    for i, q in enumerate(questions):
        a, b = vocab.encode(q.text), vocab.encode(q.answer)
        s = a + [vocab.mask_id] + b + [vocab.mask_id]
        X[i, : len(s)] = torch.tensor(s)
        Y[i, len(a) : len(a) + len(b) + 1] = torch.tensor(b + [vocab.mask_id])
    return X, Y


def pretrain_and_finetune(model, source, questions, vocab, profile, **options):
    first = {k: v for k, v in options.items() if k != "pad"}
    before = train(model, source, profile.pretrain, **first)
    rows = question_rows(questions, vocab, model.config.block_size)
    return before, train(model, iter([rows] * profile.finetune.epochs), profile.finetune, **options)
