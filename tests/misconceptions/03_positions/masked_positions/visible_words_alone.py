# expect: reject
# hint: the gaps are rows too: attention runs over all n rows, gaps and words
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    seen = [i for i in range(len(X)) if i not in hidden]
    outputs = []
    for gap in (mask.expand(len(hidden), -1), mask + P[hidden]):
        q, k, v = gap @ W_q, (X + P)[seen] @ W_k, (X + P)[seen] @ W_v
        outputs.append((q @ k.T / k.shape[1] ** 0.5).softmax(-1) @ v)
    return outputs[0], outputs[1]
