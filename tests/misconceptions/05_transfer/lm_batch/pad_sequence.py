# expect: accept
from torch.nn.utils.rnn import pad_sequence


def lm_batch(sentences):
    x = pad_sequence([torch.tensor([SOS] + list(s)) for s in sentences], batch_first=True, padding_value=PAD)
    y = pad_sequence([torch.tensor(list(s) + [EOS]) for s in sentences], batch_first=True, padding_value=PAD)
    return x, y
