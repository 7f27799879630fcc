# expect: accept
def score_terms(X, P):
    added = torch.bmm(torch.stack([X, X, P, P]), torch.stack([X, P, X, P]).transpose(1, 2))
    return added, torch.cat([added[:1], added[-1:]])
