# expect: accept
# Recursion over the words, and a loss that is added up token by token.
def shift_right(target, tag):
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)


def translation_loss(model, source, tag, target):
    logits = model(source, shift_right(target, tag))
    terms = [
        torch.logsumexp(logits[b, t], -1) - logits[b, t, target[b, t]]
        for b in range(target.shape[0]) for t in range(target.shape[1]) if target[b, t] != PAD
    ]
    return sum(terms) / len(terms)


def translate(model, source, tag, max_words):
    def tail(words, left, done):
        if left == 0 or bool(done.all()):
            return words[:, 1:]
        best = model(source, words)[:, -1].max(-1).indices
        best = best * (~done)
        return tail(torch.cat((words, best.view(-1, 1)), 1), left - 1, done | best.eq(EOS))

    with torch.no_grad():
        return tail(tag.view(-1, 1), max_words, tag.new_zeros(len(tag), dtype=torch.bool))
