# expect: accept
def score_variances(q, k, heads):
    d = q.shape[1] // heads
    products = []
    for h in range(heads):
        products.append((q[:, h * d : (h + 1) * d] * k[:, h * d : (h + 1) * d]).sum(1))
    products = torch.cat(products)
    return products.var(), (products / d**0.5).var()


def saturation(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    entropy, gradient = [], []
    for row in rows:
        alpha = row.softmax(0)
        entropy.append(torch.distributions.Categorical(probs=alpha).entropy())
        gradient.append(torch.autograd.functional.jacobian(lambda s: s.softmax(0), row).norm())
    return torch.stack(entropy).reshape(scores.shape[:-1]), torch.stack(gradient).reshape(scores.shape[:-1])
