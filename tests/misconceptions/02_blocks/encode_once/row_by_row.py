# expect: accept
def translate_all(model, source, tags, max_words):
    memory = model.encode(source)
    result = []
    for tag in tags:
        out = torch.full((len(source), max_words), PAD)
        for b in range(len(source)):
            said = [tag]
            for t in range(max_words):
                logits = model.decode(torch.tensor([said]), memory[b : b + 1], source[b : b + 1])
                said.append(int(logits[0, -1].argmax()))
                out[b, t] = said[-1]
                if said[-1] == EOS:
                    break
        result.append(out)
    return result


def extra_language_flops(M, N, k):
    return 4 * k * (3 * N * k + N * N + M * k + M * N)
