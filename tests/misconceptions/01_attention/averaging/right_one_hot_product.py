# expect: accept
def averaging(K, a, b, beta):
    chosen = torch.zeros(K.shape[0], dtype=K.dtype)
    chosen.index_fill_(0, torch.tensor([a, b]), beta)
    return chosen @ K, float(torch.nn.functional.softmax(chosen.double(), dim=0)[b])
