# expect: reject
# hint: the finetuning takes as many epochs as profile.finetune says, also sixty: give the rows as often as they are asked for
def question_rows(questions, vocab, T):
    X, Y = (torch.full((len(questions), T), vocab.pad_id, dtype=torch.int64) for _ in range(2))
    for i, q in enumerate(questions):
        s = [*vocab.encode(q.text), vocab.mask_id, *vocab.encode(q.answer), vocab.mask_id]
        s += [vocab.pad_id] * (T + 1 - len(s))
        X[i] = torch.tensor(s[:T])
        Y[i] = torch.tensor(s[1 : T + 1])
        Y[i, : len(q.text)] = vocab.pad_id
    return X, Y


def pretrain_and_finetune(model, source, questions, vocab, profile, **options):
    before = train(model, source, profile.pretrain, **options)
    rows = question_rows(questions, vocab, model.config.block_size)
    after = train(model, iter([rows] * 10), profile.finetune, **options)
    return before, after
