# expect: accept
def last_token(logits, x):
    real = (x != PAD).to(logits.dtype)
    following = torch.cat([real[:, 1:], torch.zeros_like(real[:, :1])], dim=1)
    return torch.einsum("bt,btc->bc", real - following, logits)
